import type { StatusCode } from '@quartermaster/kernel';
import { Status } from 'nice-grpc';

/** The one table of what each code is called outside: mirrored in docs/reference/errors.md. */
export const statusTable: Readonly<Record<StatusCode, { readonly grpc: Status; readonly http: number }>> = {
  invalid_argument: { grpc: Status.INVALID_ARGUMENT, http: 400 },
  unauthenticated: { grpc: Status.UNAUTHENTICATED, http: 401 },
  permission_denied: { grpc: Status.PERMISSION_DENIED, http: 403 },
  not_found: { grpc: Status.NOT_FOUND, http: 404 },
  already_exists: { grpc: Status.ALREADY_EXISTS, http: 409 },
  aborted: { grpc: Status.ABORTED, http: 409 },
  failed_precondition: { grpc: Status.FAILED_PRECONDITION, http: 412 },
  resource_exhausted: { grpc: Status.RESOURCE_EXHAUSTED, http: 429 },
  unavailable: { grpc: Status.UNAVAILABLE, http: 503 },
  internal: { grpc: Status.INTERNAL, http: 500 },
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
