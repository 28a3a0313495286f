import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

export interface ConnectionBounds {
  readonly connections: number;
  readonly connectionsPerAddress: number;
}

/** Where Node tells of every connection that a server of this process accepts: grpc-js shows nobody its own. */
const accepted = 'net.server.socket';

/** Cuts the connections to a port that are too many. Returns what ends it. */
export function boundConnections(port: number, { connections, connectionsPerAddress }: ConnectionBounds): () => void {
  const open = new Map<string, number>(); // address -> its connections
  let total = 0;
  const look = (told: unknown): void => {
    const { socket } = told as { readonly socket: Socket };
    if (socket.localPort !== port) return;
    const address = socket.remoteAddress ?? '';
    const own = open.get(address) ?? 0;
    if (total >= connections || own >= connectionsPerAddress) return void socket.destroy();
    total += 1;
    open.set(address, own + 1);
    socket.once('close', () => {
      total -= 1;
      const left = (open.get(address) ?? 0) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  };
  subscribe(accepted, look);
  return () => void unsubscribe(accepted, look);
}
