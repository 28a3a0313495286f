import { InventoryService } from '@quartermaster/api/inventory';
import { openRpcChannel, type ServiceClient } from '@quartermaster/rpc';
import { explainedFailure, type ServerWords } from '../server/explained-failure.ts';
import type { RpcServerAccess } from '../server/rpc-server-access.ts';
import { serverVariable } from '../server/server-flags.ts';

export const inventoryWords: ServerWords = {
  what: 'inventory',
  elsewhere: `start one, or name another with --server HOST:PORT or ${serverVariable}`,
  tokenHint: 'a token is given with --token-file',
};

export type InventoryClient = ServiceClient<typeof InventoryService>;

export interface InventoryConnection {
  readonly client: InventoryClient;
  /** A failure of the client as one line that names the way out. */
  explained(thrown: unknown): unknown;
  close(): void;
}

export function connectInventory(server: RpcServerAccess): InventoryConnection {
  const { address, tls, token } = server;
  const channel = openRpcChannel({ address, ...(tls === undefined ? {} : { tls }), ...(token === undefined ? {} : { token }) });
  return {
    client: channel.client(InventoryService),
    explained: (thrown) => explainedFailure(thrown, server, inventoryWords),
    close: () => channel.close(),
  };
}

/** Asks once. What goes wrong is told as one line that names the way out. */
export async function askInventory<T>(server: RpcServerAccess, ask: (client: InventoryClient) => Promise<T>): Promise<T> {
  const connection = connectInventory(server);
  try {
    return await ask(connection.client);
  } catch (thrown) {
    throw connection.explained(thrown);
  } finally {
    connection.close();
  }
}
