import type { ServerResponse } from 'node:http';
import type { ApiStatus } from '../../schema/api-status.ts';

/** Every answer says what it comes from. */
export const serverHeader = 'quartermaster-simulator';

export function answerJson(response: ServerResponse, code: number, body: unknown, warnings: readonly string[] = []): void {
  answerText(response, code, 'application/json', JSON.stringify(body), warnings);
}

export function answerText(
  response: ServerResponse,
  code: number,
  contentType: string,
  text: string | Buffer,
  warnings: readonly string[] = [],
): void {
  if (response.headersSent || response.destroyed) return;
  if (warnings.length > 0) response.setHeader('warning', warnings.map(warningValue));
  response.writeHead(code, { 'content-type': contentType, 'cache-control': 'no-cache, private' });
  response.end(text);
}

/** Header values are ASCII. */
const warningValue = (text: string): string => `299 - ${JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, '?')}`;

export function answerStatus(response: ServerResponse, status: ApiStatus): void {
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined && !response.headersSent) response.setHeader('retry-after', String(seconds));
  answerJson(response, status.code, status);
}

/** The bytes of an answer on a connection that is no longer, or never was, one of HTTP requests. */
export function rawAnswer(status: ApiStatus): string {
  const body = JSON.stringify(status);
  const headers = ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`, 'connection: close'];
  return `HTTP/1.1 ${status.code} ${status.reason ?? 'Error'}\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

/** Resolves when the connection takes more, or is gone. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
