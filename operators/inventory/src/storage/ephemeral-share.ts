import { type Amount, amount } from '../model/amount.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { sumOfNodes } from './querier/sum-of-nodes.ts';

/*
 * Where the volumes of a node-local class lie on the filesystem that holds pods' ephemeral storage, the same bytes would be sold twice: once as
 * volumes and once as ephemeral storage. These two functions take each off the other.
 */

/** Node -> bytes that volumes were promised in the node's ephemeral storage: to be held back from what pods may still get there. */
export function volumesInEphemeral(storage: readonly StorageInventory[]): ReadonlyMap<string, number> {
  const held = new Map<string, number>();
  for (const { perNode, ephemeralNodes = [] } of storage) {
    for (const node of ephemeralNodes) held.set(node, (held.get(node) ?? 0) + (perNode?.get(node)?.allocated ?? 0));
  }
  return held;
}

/** The class without what pods have requested of the space that it shares with them. `ephemeralOf` counts the requests of pods only. */
export function withoutEphemeral(storage: StorageInventory, ephemeralOf: (node: string) => Amount | undefined): StorageInventory {
  const { perNode, ephemeralNodes = [] } = storage;
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
