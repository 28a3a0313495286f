import { StatusError } from '@quartermaster/kernel';

/** One field-level complaint of a refused write. */
export interface FailureCause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * Why a request to the API server failed. It is the `details` of the StatusError that `lib/kube` throws; `failureOf`
 * reads it back.
 */
export type KubeFailure =
  /** 400, 406 and 415: the request itself is malformed. */
  | { readonly kind: 'bad-request' }
  /** 401, after one try with freshly loaded credentials. */
  | { readonly kind: 'unauthorized' }
  /** 403: the identity may not, or admission refuses (a cause of reason `NamespaceTerminating`, for one). */
  | { readonly kind: 'forbidden'; readonly causes?: readonly FailureCause[] }
  /** 404 of an object. */
  | { readonly kind: 'not-found' }
  /** 404 of the whole kind or path: its CRD or API service is not installed. */
  | { readonly kind: 'kind-missing' }
  /** 409 on create. */
  | { readonly kind: 'already-exists' }
  /** 409: the object moved on, a precondition failed, or another field manager owns a field. */
  | { readonly kind: 'conflict'; readonly causes: readonly FailureCause[] }
  /** 410: the resourceVersion or continue token is too old. Only a new list helps. */
  | { readonly kind: 'expired' }
  /** 422. */
  | { readonly kind: 'invalid'; readonly causes: readonly FailureCause[] }
  /** 429: the server asks to wait. */
  | { readonly kind: 'throttled'; readonly retryAfterMs: number | undefined }
  /** 5xx. */
  | { readonly kind: 'server'; readonly status: number; readonly retryAfterMs: number | undefined }
  /** No complete answer arrived. A write may or may not have happened. */
  | { readonly kind: 'connection'; readonly errno: string | undefined }
  | { readonly kind: 'timeout'; readonly afterMs: number }
  /** Not sent: this process does not hold the lease any more that the write needs. */
  | { readonly kind: 'lease-lost' }
  /** Any other status. */
  | { readonly kind: 'other'; readonly status: number };

export type KubeFailureKind = KubeFailure['kind'];

/** The failure behind an error of this library, or undefined for any other error. */
export function failureOf(thrown: unknown): KubeFailure | undefined {
  if (!(thrown instanceof StatusError)) return undefined;
  const details = thrown.details;
  return typeof details === 'object' && details !== null && 'kind' in details ? (details as KubeFailure) : undefined;
}

/** Whether the server refused something new because its namespace is being deleted, which takes along what is in it. */
export function isNamespaceEnding(thrown: unknown): boolean {
  const failure = failureOf(thrown);
  return failure?.kind === 'forbidden' && failure.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true;
}

export function isFailure(thrown: unknown, ...kinds: readonly KubeFailureKind[]): boolean {
  const failure = failureOf(thrown);
  return failure !== undefined && kinds.includes(failure.kind);
}
