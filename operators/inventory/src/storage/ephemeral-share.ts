import { type Amount, amount } from '../model/amount.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { sumOfNodes } from './querier/sum-of-nodes.ts';

/*
 * Where the volumes of a class lie on the filesystem that holds pods' ephemeral storage, the same bytes would be sold twice: once as
 * volumes and once as ephemeral storage. Here pods' requests are taken off the class; the ledger holds the volumes back from the pods.
 */

/**
 * The class without what pods have requested of the space that it shares with them. `ephemeralOf` counts the requests of pods only; `volumes` has, by node,
 * the bytes of volumes of all classes there.
 */
export function withoutEphemeral(
  storage: StorageInventory,
  ephemeralOf: (node: string) => Amount | undefined,
  volumes: ReadonlyMap<string, number>,
): StorageInventory {
  const { perNode, ephemeralNodes = [], beside, ...published } = storage;
  if (beside !== undefined) {
    return { ...published, ephemeralNodes, ...beside((node) => (ephemeralOf(node)?.allocated ?? 0) + (volumes.get(node) ?? 0)) };
  }
  if (perNode === undefined || storage.amount === undefined || ephemeralNodes.length === 0) return storage;
  const shared = new Map(perNode);
  for (const node of ephemeralNodes) {
    const own = perNode.get(node);
    const requested = ephemeralOf(node)?.allocated ?? 0;
    if (own !== undefined) shared.set(node, amount(own.capacity, Math.max(own.allocatable - requested, 0), own.allocated));
  }
  const placed = [...perNode.values()].reduce((sum, { allocated }) => sum + allocated, 0);
  const largest = Math.max(...[...shared.values()].map(({ available }) => available));
  return {
    ...storage,
    perNode: shared,
    amount: sumOfNodes(shared.values(), storage.amount.allocated - placed),
    largestVolumeBytes: Math.min(storage.largestVolumeBytes ?? largest, largest),
  };
}
