import type { NodeInventory } from '../model/node-inventory.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';

/**
 * A node-local class without what is left of it on nodes where nothing is sold: nobody can use that. What is there, and what is left by node, stays as
 * it is. Of a class that is offered, nodes count on which the configuration offers it.
 */
export function withoutWithheld(storage: StorageInventory, nodeOf: (name: string) => NodeInventory | undefined): StorageInventory {
  const { perNode, amount, refusal } = storage;
  if (perNode === undefined || amount === undefined) return storage;
  let withheld = 0;
  let largest = 0;
  for (const [name, { available }] of perNode) {
    const node = nodeOf(name);
    const isOffered = refusal !== undefined || node?.storageClasses.includes(storage.class) === true;
    if (node?.sellability.state === 'sellable' && isOffered) largest = Math.max(largest, available);
    else withheld += available;
  }
  if (withheld === 0) return storage;
  return {
    ...storage,
    amount: { ...amount, available: Math.max(amount.available - withheld, 0) },
    largestVolumeBytes: Math.min(storage.largestVolumeBytes ?? largest, largest),
  };
}
