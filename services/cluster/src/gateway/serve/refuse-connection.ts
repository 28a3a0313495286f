import type { Duplex } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';
import { rawError } from './http-answer.ts';

/** Answers on a connection that has no response. It ends with that, whether or not the other side ends it as well. */
export function refuseConnection(socket: Duplex, error: StatusError): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.once('finish', () => socket.destroy());
  socket.end(rawError(error, 'Refused'));
}

/** What is no HTTP is told so; where there is no TLS yet, an answer would wait for it without end. */
export function refuseMalformed(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (/^(?:HPE|ERR_HTTP)_/.test(error.code ?? '')) refuseConnection(socket, new StatusError('invalid_argument', 'malformed HTTP request'));
  else socket.destroy();
}
