import { openRpcChannel, type RpcChannel } from '@quartermaster/rpc';
import { explainedFailure } from './explained-failure.ts';
import type { FoundServer } from './find-server.ts';
import { type ServerName, serverNamed } from './servers.ts';

/** A conversation with a server. */
export interface ServerConnection extends RpcChannel {
  readonly server: FoundServer;
  /** A failure as one that names the way out. */
  explained(thrown: unknown): unknown;
}

/** Connects when it is first used. */
export function connectTo(name: ServerName, server: FoundServer): ServerConnection {
  return { ...openRpcChannel(server), server, explained: (thrown) => explainedFailure(thrown, server, serverNamed(name)) };
}

/** Does something with a connection and closes it. What goes wrong is told as a failure that names the way out. */
export async function using<C extends Pick<ServerConnection, 'explained' | 'close'>, T>(
  connection: C,
  work: (connection: C) => Promise<T>,
): Promise<T> {
  try {
    return await work(connection);
  } catch (thrown) {
    throw connection.explained(thrown);
  } finally {
    connection.close();
  }
}
