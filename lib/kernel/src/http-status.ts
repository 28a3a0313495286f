import type { StatusCode } from './status-error.ts';

/** What each code is over HTTP: mirrored in docs/reference/errors.md. */
export const httpStatus: Readonly<Record<StatusCode, number>> = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  already_exists: 409,
  aborted: 409,
  failed_precondition: 412,
  resource_exhausted: 429,
  unavailable: 503,
  internal: 500,
};
