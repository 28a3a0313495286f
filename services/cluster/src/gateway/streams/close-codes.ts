import { codeOf, StatusError } from '@quartermaster/kernel';
import { failureOf } from '@quartermaster/kube';

/** How streams to tenants end. Those from 4000 to 4002 are of the ecosystem. */
export const closeCodes = {
  /** What was asked for is done. */
  done: 1000,
  /** What was sent breaks the protocol. */
  malformed: 1008,
  restarting: 1012,
  internal: 4000,
  leaseNotFound: 4001,
  unavailable: 4002,
  /** The token or the lease ended, or the key was revoked. */
  rightEnded: 4003,
  /** Too slow a reader, nothing said for too long, or open for too long. */
  limit: 4008,
} as const;

export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];

/** Why a stream ends before it is done. */
export class StreamEnd extends Error {
  readonly code: CloseCode;

  constructor(code: CloseCode, reason: string) {
    super(reason);
    this.name = 'StreamEnd';
    this.code = code;
  }
}

const internalError = new StreamEnd(closeCodes.internal, 'internal error: ask the provider');
const clusterAway = new StreamEnd(closeCodes.unavailable, 'the cluster does not answer at the moment: try again');

/** What a tenant is told of anything thrown: of bugs, and of what the cluster says, nothing. */
export function streamEndOf(thrown: unknown): StreamEnd {
  if (thrown instanceof StreamEnd) return thrown;
  if (failureOf(thrown) !== undefined) return codeOf(thrown) === 'unavailable' ? clusterAway : internalError;
  const message = thrown instanceof StatusError ? thrown.message : '';
  switch (codeOf(thrown)) {
    case 'not_found':
      return new StreamEnd(closeCodes.leaseNotFound, message);
    case 'invalid_argument':
      return new StreamEnd(closeCodes.malformed, message);
    case 'unavailable':
    case 'failed_precondition':
      return new StreamEnd(closeCodes.unavailable, message);
    case 'resource_exhausted':
      return new StreamEnd(closeCodes.limit, message);
    default:
      return internalError;
  }
}

/** The same for gRPC, which has no close codes. */
export function statusErrorOf({ code, message }: StreamEnd): StatusError {
  switch (code) {
    case closeCodes.rightEnded:
      return new StatusError('unauthenticated', message);
    case closeCodes.leaseNotFound:
      return new StatusError('not_found', message);
    case closeCodes.limit:
      return new StatusError('resource_exhausted', message);
    case closeCodes.malformed:
      return new StatusError('invalid_argument', message);
    case closeCodes.internal:
      return new StatusError('internal', message);
    default:
      return new StatusError('unavailable', message);
  }
}
