import { InventoryService } from '@quartermaster/api/inventory';
import type { ServiceClient } from '@quartermaster/rpc';
import { findServer } from '../server/find-server.ts';
import { connectTo, using } from '../server/server-connection.ts';
import type { ServerFlags } from '../server/server-flags.ts';

export type InventoryClient = ServiceClient<typeof InventoryService>;

export interface InventoryConnection {
  readonly client: InventoryClient;
  /** A failure of the client as one line that names the way out. */
  explained(thrown: unknown): unknown;
  close(): void;
}

export function connectInventory(flags: ServerFlags): InventoryConnection {
  const connection = connectTo('inventory', findServer('inventory', flags, process.env));
  return { ...connection, client: connection.client(InventoryService) };
}

/** Asks once. What goes wrong is told as one line that names the way out. */
export async function askInventory<T>(flags: ServerFlags, ask: (client: InventoryClient) => Promise<T>): Promise<T> {
  return await using(connectInventory(flags), ({ client }) => ask(client));
}
