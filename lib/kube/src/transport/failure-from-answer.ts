import type { Readable } from 'node:stream';
import { type StatusCode, StatusError } from '@quartermaster/kernel';
import type { FailureCause, KubeFailure, KubeFailureKind } from './failure.ts';

/** The parts of a metav1.Status that decide what a failure is. */
export interface KubeStatus {
  readonly kind?: string;
  readonly code?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly causes?: readonly { readonly field?: string; readonly reason?: string; readonly message?: string }[];
    readonly retryAfterSeconds?: number;
  };
}

const codes: Readonly<Record<KubeFailureKind, StatusCode>> = {
  'bad-request': 'invalid_argument',
  unauthorized: 'unauthenticated',
  forbidden: 'permission_denied',
  'not-found': 'not_found',
  'kind-missing': 'not_found',
  'already-exists': 'already_exists',
  conflict: 'aborted',
  expired: 'failed_precondition',
  invalid: 'invalid_argument',
  throttled: 'unavailable',
  server: 'unavailable',
  connection: 'unavailable',
  timeout: 'unavailable',
  'lease-lost': 'failed_precondition',
  other: 'internal',
};

/** The error for an answer that is not a success. `what` says what was asked, for example `get pods default/web`. */
export function errorFromAnswer(
  what: string,
  httpStatus: number,
  status: KubeStatus | undefined,
  retryAfter: string | undefined,
): StatusError {
  const failure = failureFromAnswer(httpStatus, status, retryAfter);
  const text = status?.message ?? `HTTP status ${httpStatus}`;
  const hint = failure.kind === 'kind-missing' ? ' (the server does not serve this kind: is its CRD installed?)' : '';
  return new StatusError(codeOfFailure(failure), `${what}: ${text}${hint}`, { details: failure });
}

/** A conflict with another field manager lasts until one of them gives way: reading again and retrying does not help. */
function codeOfFailure(failure: KubeFailure): StatusCode {
  const isOwnedByOther = failure.kind === 'conflict' && failure.causes.some(({ reason }) => reason === 'FieldManagerConflict');
  return isOwnedByOther ? 'failed_precondition' : codes[failure.kind];
}

export function connectionError(what: string, cause: unknown): StatusError {
  const errno = errnoOf(cause);
  const failure: KubeFailure = { kind: 'connection', errno };
  return new StatusError('unavailable', `${what}: no answer from the API server${errno === undefined ? '' : ` (${errno})`}`, {
    cause,
    details: failure,
  });
}

export function timeoutError(what: string, afterMs: number): StatusError {
  const failure: KubeFailure = { kind: 'timeout', afterMs };
  return new StatusError('unavailable', `${what}: no complete answer within ${afterMs} ms`, { details: failure });
}

/** A success whose body is not JSON did not come from an API server. */
export function unreadableError(what: string, cause: unknown): StatusError {
  const failure: KubeFailure = { kind: 'other', status: 200 };
  return new StatusError('unavailable', `${what}: the answer is not JSON; is this the URL of an API server?`, { cause, details: failure });
}

/** An error body longer than this is not a Status. */
const maxErrorBytes = 1 << 20;

/** The Status in an error's body; undefined when it holds none or breaks off. */
export async function readStatus(body: Readable): Promise<KubeStatus | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > maxErrorBytes) break;
    }
    const text = Buffer.concat(chunks).toString('utf8').trim();
    if (!text.startsWith('{')) return text === '' ? undefined : { message: text };
    const parsed = JSON.parse(text) as KubeStatus;
    return parsed.kind === 'Status' ? parsed : undefined;
  } catch {
    // The HTTP status alone still tells what kind of failure it is.
    return undefined;
  }
}

function failureFromAnswer(httpStatus: number, status: KubeStatus | undefined, retryAfter: string | undefined): KubeFailure {
  const causes = causesOf(status);
  const retryAfterMs = parseRetryAfter(retryAfter, status);
  switch (httpStatus) {
    case 400:
    case 406:
    case 415:
      return { kind: 'bad-request' };
    case 401:
      return { kind: 'unauthorized' };
    case 403:
      return { kind: 'forbidden', causes };
    case 404:
      // The server answers an unknown path without a Status or without a name in it; a missing object is named.
      return status?.details?.name === undefined || status.details.name === '' ? { kind: 'kind-missing' } : { kind: 'not-found' };
    case 409:
      return status?.reason === 'AlreadyExists' ? { kind: 'already-exists' } : { kind: 'conflict', causes };
    case 410:
      return { kind: 'expired' };
    case 422:
      return { kind: 'invalid', causes };
    case 429:
      return { kind: 'throttled', retryAfterMs };
    default:
      return httpStatus >= 500 ? { kind: 'server', status: httpStatus, retryAfterMs } : { kind: 'other', status: httpStatus };
  }
}

function causesOf(status: KubeStatus | undefined): FailureCause[] {
  return (status?.details?.causes ?? []).map(({ field, reason, message }) => ({
    field: field ?? '',
    reason: reason ?? '',
    message: message ?? '',
  }));
}

/** `Retry-After` in seconds, as the API server sends it; the body says the same where the header is lost. */
function parseRetryAfter(header: string | undefined, status: KubeStatus | undefined): number | undefined {
  const seconds = header === undefined || !/^\d+$/.test(header) ? status?.details?.retryAfterSeconds : Number(header);
  return seconds === undefined || seconds <= 0 ? undefined : seconds * 1000;
}

function errnoOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  if ('code' in cause && typeof cause.code === 'string') return cause.code;
  return errnoOf(cause.cause);
}
