import type { DescService } from '@bufbuild/protobuf';
import { openRpcChannel, type RpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { explainedFailure } from './explained-failure.ts';
import type { FoundServer } from './find-server.ts';
import { type ServerKind, type ServerName, serverNamed } from './servers.ts';

/** A conversation with a server. Connects when it is first used. */
export class ServerConnection {
  readonly server: FoundServer;
  readonly channel: RpcChannel;
  readonly #kind: ServerKind;

  constructor(name: ServerName, server: FoundServer) {
    this.server = server;
    this.channel = openRpcChannel(server);
    this.#kind = serverNamed(name);
  }

  client<S extends DescService>(service: S): ServiceClient<S> {
    return this.channel.client(service);
  }

  /** A failure as one that names the way out. */
  explained(thrown: unknown): unknown {
    return explainedFailure(thrown, this.server, this.#kind);
  }

  close(): void {
    this.channel.close();
  }
}

interface Explaining {
  explained(thrown: unknown): unknown;
  close(): void;
}

/** Does something with a connection and closes it. What goes wrong is told as a failure that names the way out. */
export async function using<C extends Explaining, T>(connection: C, work: (connection: C) => Promise<T>): Promise<T> {
  try {
    return await work(connection);
  } catch (thrown) {
    throw connection.explained(thrown);
  } finally {
    connection.close();
  }
}
