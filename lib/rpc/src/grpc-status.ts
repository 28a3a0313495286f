import type { StatusCode } from '@quartermaster/kernel';
import { Status } from 'nice-grpc';

/** What each code is over gRPC: mirrored in docs/reference/errors.md. */
export const grpcStatus: Readonly<Record<StatusCode, Status>> = {
  invalid_argument: Status.INVALID_ARGUMENT,
  unauthenticated: Status.UNAUTHENTICATED,
  permission_denied: Status.PERMISSION_DENIED,
  not_found: Status.NOT_FOUND,
  already_exists: Status.ALREADY_EXISTS,
  aborted: Status.ABORTED,
  failed_precondition: Status.FAILED_PRECONDITION,
  resource_exhausted: Status.RESOURCE_EXHAUSTED,
  unavailable: Status.UNAVAILABLE,
  internal: Status.INTERNAL,
};

/** The code for a status of any gRPC server: those that ours never send fall to the one that asks the same of a caller. */
export function codeOfStatus(status: Status): StatusCode {
  switch (status) {
    case Status.INVALID_ARGUMENT:
    case Status.OUT_OF_RANGE:
      return 'invalid_argument';
    case Status.UNAUTHENTICATED:
      return 'unauthenticated';
    case Status.PERMISSION_DENIED:
      return 'permission_denied';
    case Status.NOT_FOUND:
    case Status.UNIMPLEMENTED:
      return 'not_found';
    case Status.ALREADY_EXISTS:
      return 'already_exists';
    case Status.FAILED_PRECONDITION:
      return 'failed_precondition';
    case Status.ABORTED:
      return 'aborted';
    case Status.RESOURCE_EXHAUSTED:
      return 'resource_exhausted';
    case Status.UNAVAILABLE:
    case Status.DEADLINE_EXCEEDED:
    case Status.CANCELLED:
      return 'unavailable';
    default:
      return 'internal';
  }
}
