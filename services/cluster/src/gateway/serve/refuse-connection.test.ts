import { Duplex } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { refuseConnection, refuseMalformed } from './refuse-connection.ts';

/** A connection whose other end says nothing more, and does not end it either. */
function connection({ takes = true } = {}) {
  const written: string[] = [];
  const socket = new Duplex({
    allowHalfOpen: true,
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk.toString());
      if (takes) done();
    },
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => void socket.once('close', resolve));
  return { socket, written, closed };
}
const codeError = (code: string): Error & { readonly code: string } => Object.assign(new Error('x'), { code });

describe('a connection that is refused', () => {
  it('is told why and ended, though its other side keeps it open', async () => {
    const { socket, written, closed } = connection();
    refuseConnection(socket, new StatusError('unauthenticated', 'show a token'));
    await closed;
    expect(written.join('')).toMatch(/^HTTP\/1\.1 401 Refused\r\n[^]*\{"message":"show a token"\}\n$/);
  });

  it('is ended where it has ended already', async () => {
    const { socket, written, closed } = connection();
    socket.end();
    refuseConnection(socket, new StatusError('not_found', 'x'));
    await closed;
    expect(written).toEqual([]);
  });

  it('is told that it does not speak HTTP', async () => {
    const { socket, written, closed } = connection();
    refuseMalformed(codeError('HPE_INVALID_METHOD'), socket);
    await closed;
    expect(written.join('')).toContain('HTTP/1.1 400');
  });

  it('is ended at once where there is no TLS over which it could be told', async () => {
    for (const code of ['ERR_TLS_HANDSHAKE_TIMEOUT', 'ERR_SSL_HTTP_REQUEST', 'ECONNRESET', '']) {
      const { socket, written, closed } = connection({ takes: false });
      refuseMalformed(codeError(code), socket);
      await closed;
      expect(written).toEqual([]);
    }
  });
});
