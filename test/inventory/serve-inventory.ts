import { InventoryFeed, type InventoryServers, type InventoryServersOptions, startInventoryServers } from '@quartermaster/inventory';
import { FakeInventory } from '@quartermaster/inventory/testing';

export interface ServedInventory {
  readonly inventory: FakeInventory;
  readonly feed: InventoryFeed;
  readonly servers: InventoryServers;
  stop(): Promise<void>;
}

/** The servers of the operator over an inventory that the test sets, on free ports of loopback. */
export async function serveInventory(options: Partial<InventoryServersOptions> = {}): Promise<ServedInventory> {
  const inventory = new FakeInventory();
  const feed = new InventoryFeed({ clusterId: 'c1', source: inventory, minIntervalMs: 1 });
  const servers = await startInventoryServers({
    feed,
    allocations: () => [],
    status: () => ({
      version: '0.1.0',
      replica: 'r1',
      isLeader: true,
      leader: 'r1',
      startedAt: 0,
      completeness: inventory.completeness(),
      parts: [],
      counters: new Map(),
    }),
    live: () => ({ isOk: true, text: 'ok' }),
    ready: () => ({ isOk: feed.state() !== undefined, text: feed.state() === undefined ? 'inventory not read yet' : 'ok' }),
    metrics: () => Promise.resolve({ contentType: 'text/plain', text: 'up 1\n' }),
    isServing: () => feed.state() !== undefined,
    streamIntervalMs: 1,
    ...options,
  });
  return {
    inventory,
    feed,
    servers,
    stop: async () => {
      feed.stop();
      await servers.stop(1000);
    },
  };
}
