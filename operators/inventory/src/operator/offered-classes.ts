import type { OfferedClass } from '../ledger/inventory-ledger.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';

/** The classes that are offered, node-local ones only where they have room. */
export function offeredClasses(storage: readonly StorageInventory[]): readonly OfferedClass[] {
  return storage
    .filter(({ refusal }) => refusal === undefined)
    .map(({ class: name, perNode }) => (perNode === undefined ? { name } : { name, nodes: new Set(perNode.keys()) }));
}
