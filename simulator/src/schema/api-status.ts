import { type StatusCode, StatusError } from '@quartermaster/kernel';

export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}

/** One field that breaks a rule of its schema, in the words of the API server. */
export interface FieldProblem extends Cause {
  readonly reason: FieldReason;
}

export type FieldReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany';

/** A metav1.Status as the server answers it. */
export interface ApiStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: object;
  readonly status: 'Success' | 'Failure';
  readonly message?: string | undefined;
  /** The server has no reason for some of its own errors. */
  readonly reason?: string | undefined;
  readonly details?: StatusDetails | undefined;
  readonly code: number;
}

export interface StatusDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly Cause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** What an error is about: the resource (plural) of a group, and an object of it. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

const codes: Readonly<Record<number, StatusCode>> = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  409: 'failed_precondition',
  410: 'failed_precondition',
  429: 'unavailable',
  500: 'internal',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
};

/** An error that the server answers as this Status. */
export function apiError(code: number, reason: string | undefined, message: string, details: StatusDetails = {}): StatusError {
  const status: ApiStatus = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details, code };
  return new StatusError(codes[code] ?? 'invalid_argument', message, { details: status });
}

/** What an error says about its answer; undefined for one that nobody expected. */
export function refusalOf(thrown: unknown): ApiStatus | undefined {
  const details = thrown instanceof StatusError ? (thrown.details as Partial<ApiStatus> | null | undefined) : undefined;
  return details?.kind === 'Status' ? (details as ApiStatus) : undefined;
}

/** The Status to answer an error with. What is no expected error is answered without its text. */
export function statusOf(error: unknown): ApiStatus {
  const known = refusalOf(error);
  if (known !== undefined) return known;
  if (error instanceof StatusError && error.code === 'invalid_argument') return statusOf(badRequest(error.message));
  return statusOf(apiError(500, 'InternalError', 'Internal error occurred: see the log of the simulator'));
}

const qualified = ({ group, plural }: Pick<Subject, 'group' | 'plural'>): string => (group === '' ? plural : `${plural}.${group}`);
const detailsOf = ({ group, plural }: Subject, name: string): StatusDetails => ({ name, group: group || undefined, kind: plural });

export const badRequest = (message: string): StatusError => apiError(400, 'BadRequest', message);

/** It is understood and breaks a rule. */
export const unprocessable = (message: string): StatusError => apiError(422, 'Invalid', message);

/** The server has no better word for it, although the request is at fault. */
export const unexplained = (message: string): StatusError => apiError(500, undefined, message);

export const unauthorized = (): StatusError => apiError(401, 'Unauthorized', 'Unauthorized');

export const notFound = (subject: Subject, name: string): StatusError =>
  apiError(404, 'NotFound', `${qualified(subject)} "${name}" not found`, detailsOf(subject, name));

/** For a path that means nothing: no object is named, which is how clients tell it from a missing object. */
export const noSuchResource = (): StatusError => apiError(404, 'NotFound', 'the server could not find the requested resource');

export const methodNotAllowed = (): StatusError =>
  apiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');

/** For what Kubernetes has and the simulator has not. */
export const notImplemented = (what: string): StatusError => apiError(501, 'NotImplemented', `the simulator does not support ${what}`);

export const notAcceptable = (offered: readonly string[]): StatusError =>
  apiError(406, 'NotAcceptable', `only the following media types are accepted: ${offered.join(', ')}`);

export const unsupportedMediaType = (offered: readonly string[]): StatusError =>
  apiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${offered.join(', ')}`,
  );

export const alreadyExists = (subject: Subject, name: string): StatusError =>
  apiError(409, 'AlreadyExists', `${qualified(subject)} "${name}" already exists`, detailsOf(subject, name));

export const conflict = (subject: Subject, name: string, why: string, causes?: readonly Cause[]): StatusError =>
  apiError(409, 'Conflict', `Operation cannot be fulfilled on ${qualified(subject)} "${name}": ${why}`, {
    ...detailsOf(subject, name),
    causes,
  });

export const modified = (subject: Subject, name: string): StatusError =>
  conflict(subject, name, 'the object has been modified; please apply your changes to the latest version and try again');

const denialCodes = { Forbidden: 403, Invalid: 422, Unauthorized: 401, RequestEntityTooLarge: 413 } as const;

/** What a denied write may be called. */
export type DenialReason = keyof typeof denialCodes;

export const forbidden = (
  subject: Subject,
  name: string,
  why: string,
  { causes, reason = 'Forbidden' }: { readonly causes: readonly Cause[]; readonly reason?: DenialReason | undefined },
): StatusError =>
  apiError(denialCodes[reason], reason, `${qualified(subject)} "${name}" is forbidden: ${why}`, { ...detailsOf(subject, name), causes });

export function invalid(subject: Subject, name: string, causes: readonly Cause[]): StatusError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const title = subject.group === '' ? subject.kind : `${subject.kind}.${subject.group}`;
  return apiError(422, 'Invalid', `${title} "${name}" is invalid: ${list}`, {
    name,
    group: subject.group || undefined,
    kind: subject.kind,
    causes,
  });
}

export const expired = (message: string): StatusError => apiError(410, 'Expired', message);

export const versionTooLarge = (wanted: number, current: number): StatusError =>
  apiError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version', field: '' }],
    retryAfterSeconds: 1,
  });

/** The causes of an invalid object, in the words that the API uses. */
export const problems = {
  required: (field: string, why = ''): FieldProblem => ({
    field,
    reason: 'FieldValueRequired',
    message: `Required value${why === '' ? '' : `: ${why}`}`,
  }),
  invalid: (field: string, value: unknown, why: string): FieldProblem => ({
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value) ?? 'null'}: ${why}`,
  }),
  forbidden: (field: string, why: string): FieldProblem => ({ field, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` }),
  unsupported: (field: string, value: unknown, known: readonly string[]): FieldProblem => ({
    field,
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${known.map((each) => JSON.stringify(each)).join(', ')}`,
  }),
};
