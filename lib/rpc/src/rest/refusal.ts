import { StatusError } from '@quartermaster/kernel';
import { errorJson } from './rest-answer.ts';

/** What a caller is told of anything thrown: expected failures as they are, the transport's own complaints about a request, and of bugs nothing. */
export function refusalOf(thrown: unknown): StatusError {
  if (thrown instanceof StatusError) return thrown;
  const { statusCode, code, message } = thrown as { readonly statusCode?: number; readonly code?: string; readonly message?: string };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new StatusError('invalid_argument', texts.get(code ?? '') ?? `request: ${message ?? 'cannot be read'}`, { cause: thrown });
  }
  return new StatusError('internal', 'internal error: see the log of the server', { cause: thrown });
}

/** Code of the HTTP library -> what we say. */
const texts: ReadonlyMap<string, string> = new Map([
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'body is too large: send less at once'],
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'body must be JSON: send the header "content-type: application/json"'],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', 'body is empty: send JSON'],
  ['FST_ERR_CTP_INVALID_JSON_BODY', 'body is not valid JSON'],
  ['FST_ERR_BAD_URL', 'path has invalid percent-encoding'],
]);

/** What is sent, as it is, to a caller whose bytes are no HTTP request; the connection ends with it. */
export function malformedAnswer(error: { readonly code?: string }): string {
  const [status, text] = malformed.get(error.code ?? '') ?? ['400 Bad Request', 'malformed HTTP request'];
  const body = `${JSON.stringify(errorJson(new StatusError('invalid_argument', text)))}\n`;
  const head = [`HTTP/1.1 ${status}`, 'connection: close', 'content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Code of Node's HTTP server -> status and text. */
const malformed: ReadonlyMap<string, readonly [status: string, text: string]> = new Map([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'path and headers of the request are too long']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'request was not sent in time']],
]);
