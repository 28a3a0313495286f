import type { JsonObject } from '@bufbuild/protobuf';
import { messageOf, type StatusCode, StatusError } from '@quartermaster/kernel';
import { hasCode } from '../files/file-problem.ts';
import { listAt, textAt } from '../text/json-path.ts';

/** How a gateway ended a stream. */
export interface StreamEnd {
  readonly code: number;
  readonly reason: string;
}

const codes: Readonly<Record<number, StatusCode>> = {
  400: 'invalid_argument',
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'not_found',
  413: 'invalid_argument',
  422: 'invalid_argument',
  429: 'resource_exhausted',
};

/** What an answer other than 2xx says, with a line for each of its errors. */
export function answerFailure(uri: string, status: number, body: JsonObject): StatusError {
  const said = textAt(body, 'message') || `it answered with HTTP status ${status}`;
  const errors = listAt(body, 'errors').map((error) => (typeof error === 'string' ? error : JSON.stringify(error)));
  return new StatusError(codes[status] ?? 'unavailable', [`the gateway ${uri} refused: ${said}`, ...errors].join('\n'));
}

/** Why nothing was heard from a gateway. */
export function connectionFailure(uri: string, cause: unknown): StatusError {
  const way = hasCode(cause, 'ERR_TLS_CERT_ALTNAME_INVALID')
    ? 'its certificate is for another name'
    : hasCode(
          cause,
          'DEPTH_ZERO_SELF_SIGNED_CERT',
          'SELF_SIGNED_CERT_IN_CHAIN',
          'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
          'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
        )
      ? 'its certificate is of no authority that is trusted here'
      : 'no connection';
  return new StatusError('unavailable', `the gateway ${uri} cannot be asked: ${way}: ${messageOf(cause)}`, { cause });
}

const ends: Readonly<Record<number, readonly [code: StatusCode, says: string]>> = {
  4000: ['unavailable', 'the gateway failed'],
  4001: ['not_found', 'the gateway does not have this lease'],
  4002: ['unavailable', 'the gateway cannot reach what it needs for this'],
  4003: ['permission_denied', 'your right to it ended'],
  4008: ['resource_exhausted', 'the gateway ended it at a limit'],
};

/** Undefined where there was no more to tell. */
export function endFailure({ code, reason }: StreamEnd): StatusError | undefined {
  if (code === 1000 || code === 1005) return undefined;
  const [status, says] = ends[code] ?? ['unavailable', 'the connection to the gateway broke'];
  return new StatusError(status, `${says}${reason === '' ? '' : `: ${reason}`}`);
}
