import type { NodeInventory } from '../model/node-inventory.ts';
import type { Completeness, InventoryTotals } from '../model/snapshot.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';

/** Where the feed reads what is true now. Values are never changed once given: a new truth is a new value. */
export interface InventorySource {
  /** Whether everything has been read once. Until then nothing is published. */
  isReady(): boolean;
  /** Nodes that may have changed and those that are gone since the last call; at the first call, every node. */
  takeChanges(): { readonly nodes: Iterable<string>; readonly removed: Iterable<string> };
  /** Undefined: there is no such node any more. */
  view(node: string): NodeInventory | undefined;
  /** Every class. Asked only after storage was said to have changed. */
  storage(): readonly StorageInventory[];
  totals(): InventoryTotals;
  completeness(): Completeness;
}
