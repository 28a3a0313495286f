import { type Allocation, InventoryService, type Snapshot } from '@quartermaster/api/inventory';
import { StatusError } from '@quartermaster/kernel';
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

export interface AllocationFilter {
  readonly node?: string | undefined;
  readonly namespace?: string | undefined;
  /** `key`, or `key=value`. */
  readonly leaseLabel?: string | undefined;
  readonly device?: string | undefined;
}

const pageSize = 5000;

export async function readSnapshot(client: InventoryClient): Promise<Snapshot> {
  const { snapshot } = await client.getSnapshot({});
  if (snapshot === undefined) throw new StatusError('internal', 'the inventory answered without a snapshot');
  return snapshot;
}

/** All pages. */
export async function readAllocations(client: InventoryClient, filter: AllocationFilter): Promise<readonly Allocation[]> {
  const given = Object.fromEntries(Object.entries(filter).filter((pair): pair is [string, string] => pair[1] !== undefined));
  const found: Allocation[] = [];
  for (let pageToken = ''; ; ) {
    const page = await client.listAllocations({ ...given, pageSize, pageToken });
    for (const each of page.allocations) found.push(each);
    pageToken = page.nextPageToken;
    if (pageToken === '') return found;
  }
}
