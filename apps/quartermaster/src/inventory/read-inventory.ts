import type { Allocation, Snapshot } from '@quartermaster/api/inventory';
import { StatusError } from '@quartermaster/kernel';
import type { InventoryClient } from './inventory-connection.ts';

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
