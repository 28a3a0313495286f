import type { Server, Socket } from 'node:net';
import { StatusError } from '@quartermaster/kernel';

export interface ListenAddress {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
}

const connections = new WeakMap<Server, Set<Socket>>();

/** Open connections of a server that `listen` started, also those whose TLS handshake has not ended: an HTTP server does not know of them, and would wait for them. */
export const connectionsOf = (server: Server): Iterable<Socket> => connections.get(server) ?? [];

/** Starts to listen and returns the port. What the operating system refuses becomes a sentence that says what to do. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<number> {
  const open = new Set<Socket>();
  connections.set(server, open);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(refusal(error, host, port));
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number): StatusError {
  const place = `${host}:${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return new StatusError('failed_precondition', `port ${place} is in use: stop what listens there or choose another port`, {
        cause: error,
      });
    case 'EACCES':
      return new StatusError('permission_denied', `port ${place} cannot be used without privileges: choose one above 1023`, {
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StatusError('invalid_argument', `address ${host} does not belong to this machine: use 127.0.0.1 or one of its addresses`, {
        cause: error,
      });
    default:
      return new StatusError('unavailable', `cannot listen on ${place}`, { cause: error });
  }
}
