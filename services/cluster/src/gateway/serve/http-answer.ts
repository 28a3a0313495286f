import type { ServerResponse } from 'node:http';
import { fieldViolationsOf, httpStatus, retryAfterMsOf, type StatusCode, StatusError } from '@quartermaster/kernel';
import { failureOf } from '@quartermaster/kube';

export type HttpAnswer =
  | { readonly json: unknown; readonly status?: number | undefined }
  /** JSON as it is. */
  | { readonly text: string };

/** Its clients know no others for what cannot be done as it was asked for, and what is to be asked again. */
const ecosystemStatus: Readonly<Partial<Record<StatusCode, number>>> = { failed_precondition: 422, already_exists: 422, aborted: 503 };
const bodyTooLarge = 413;

/** Of a body that is longer than it may be. */
export class TooLarge extends StatusError {
  constructor(most: number) {
    super('invalid_argument', `body: must have at most ${most} bytes`);
  }
}

export function statusOf(error: StatusError): number {
  if (error instanceof TooLarge) return bodyTooLarge;
  return ecosystemStatus[error.code] ?? httpStatus[error.code];
}

const isRefusedManifest = (error: StatusError): boolean =>
  error.code === 'failed_precondition' && fieldViolationsOf(error).some(({ field }) => field === 'manifest');

/** What a caller is told of anything thrown: of bugs nothing, and nothing of what the cluster says. */
export function refusalOf(thrown: unknown): StatusError {
  if (failureOf(thrown) !== undefined) {
    const message = 'the provider’s cluster cannot do it at the moment: try again, or ask the provider';
    return new StatusError('unavailable', message, { cause: thrown });
  }
  return thrown instanceof StatusError && thrown.code !== 'internal'
    ? thrown
    : new StatusError('internal', 'internal error: ask the provider', { cause: thrown });
}

export function errorBody(error: StatusError): object {
  const errors = isRefusedManifest(error) ? fieldViolationsOf(error).map(({ description }) => description) : [];
  return { message: error.message, ...(errors.length > 0 && { errors }) };
}

export function errorHeaders(error: StatusError): Readonly<Record<string, string>> {
  const retryAfterMs = retryAfterMsOf(error);
  return {
    ...(error.code === 'unauthenticated' && { 'www-authenticate': 'Bearer' }),
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
  };
}

/** What a tenant reads is nobody else's to keep, and no page's to show as something else. */
const commonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'content-type': 'application/json' } as const;

export function sendAnswer(response: ServerResponse, answer: HttpAnswer): void {
  const text = 'text' in answer ? answer.text : JSON.stringify(answer.json);
  send(response, 'status' in answer ? (answer.status ?? 200) : 200, {}, text);
}

export function sendError(response: ServerResponse, error: StatusError): void {
  send(response, statusOf(error), errorHeaders(error), JSON.stringify(errorBody(error)));
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, text: string): void {
  if (response.headersSent || response.destroyed) return;
  const body = `${text}\n`;
  response.writeHead(status, { ...commonHeaders, ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** The same before there is a response: to a request for a WebSocket. The connection ends with it. */
export function rawError(error: StatusError, reason: string): string {
  const body = `${JSON.stringify(errorBody(error))}\n`;
  const headers = { ...commonHeaders, ...errorHeaders(error), 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${statusOf(error)} ${reason}\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
