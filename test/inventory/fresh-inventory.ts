import { Inventory, type InventoryOptions } from '@quartermaster/inventory';
import { seededRandom, silentLog, systemClock } from '@quartermaster/kernel';
import { cacheOpener, type KubeClient } from '@quartermaster/kube';
import { vi } from 'vitest';
import { operatorNamespace, patience } from './operator-cluster.ts';

export async function startInventory(client: KubeClient, options: Partial<InventoryOptions> = {}): Promise<Inventory> {
  const context = { clock: systemClock, random: seededRandom(5), log: silentLog, ...options };
  const caches = options.caches ?? cacheOpener(client, context);
  return await Inventory.start({
    client,
    caches,
    namespace: operatorNamespace,
    publishIntervalMs: 5,
    ...context,
  });
}

/** Everything that an inventory says of what is there and who holds it; not when it was seen. */
export function contentsOf({ feed, ledger }: Inventory): object {
  const { nodes = [], storage = [], totals } = feed.current() ?? {};
  return {
    nodes: nodes.map((node) => ({ ...node, observedAt: 0 })),
    storage: storage.map((each) => ({ ...each, observedAt: 0 })),
    totals,
    allocations: ledger.allocations({}).toSorted((a, b) => (a.podUid < b.podUid ? -1 : 1)),
  };
}

/** What an inventory that has just read the cluster for the first time says. */
export async function freshContents(client: KubeClient): Promise<object> {
  const fresh = await startInventory(client);
  try {
    await vi.waitUntil(() => fresh.feed.state() !== undefined, patience);
    return contentsOf(fresh);
  } finally {
    await fresh.stop();
  }
}
