import { StatusError } from '@quartermaster/kernel';

/** One field that breaks a rule, in the words of the API server: it becomes one entry of a Status' `details.causes`. */
export interface FieldProblem {
  readonly field: string;
  readonly reason: FieldReason;
  readonly message: string;
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

/**
 * The Status with which the API server answers a refused write. It is the `details` of every StatusError that `schema` and
 * `patch` throw, so that the server can answer it as it is.
 */
export interface Refusal {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: object;
  readonly status: 'Failure';
  readonly message: string;
  /** The server has no reason for some of its own errors. */
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly FieldProblem[] };
  readonly code: number;
}

/** 400: the request cannot be understood. */
export function badRequest(message: string): StatusError {
  return refused(message, { reason: 'BadRequest', code: 400 });
}

/** 422: it is understood and breaks a rule. */
export function unprocessable(message: string, causes?: readonly FieldProblem[]): StatusError {
  return refused(message, { reason: 'Invalid', details: causes === undefined ? {} : { causes }, code: 422 });
}

/** 500: the server has no better word for it, although the request is at fault. */
export function unexplained(message: string): StatusError {
  return refused(message, { code: 500 });
}

/** What a StatusError thrown here says about the answer; undefined for any other error. */
export function refusalOf(thrown: unknown): Refusal | undefined {
  const details = thrown instanceof StatusError ? thrown.details : undefined;
  return typeof details === 'object' && details !== null && 'kind' in details && details.kind === 'Status'
    ? (details as Refusal)
    : undefined;
}

function refused(message: string, answer: Pick<Refusal, 'reason' | 'details' | 'code'>): StatusError {
  const details: Refusal = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, ...answer };
  return new StatusError('invalid_argument', message, { details });
}
