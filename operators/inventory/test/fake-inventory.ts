import type { NodeInventory } from '../src/model/node-inventory.ts';
import type { Completeness } from '../src/model/snapshot.ts';
import type { StorageInventory } from '../src/model/storage-inventory.ts';
import type { InventorySource } from '../src/publish/inventory-feed.ts';
import { totalsOf } from './inventory-values.ts';

/** An inventory that a test sets as it likes, in place of the ledger and the storage watch. */
export class FakeInventory implements InventorySource {
  readonly nodes = new Map<string, NodeInventory>(); // name -> node
  readonly classes = new Map<string, StorageInventory>(); // class -> storage
  isComplete = true;
  stale: Completeness['stale'] = [];
  /** How often each was asked for. */
  views = 0;
  storageReads = 0;
  #changed = new Set<string>();

  setNode(node: NodeInventory): void {
    this.nodes.set(node.name, node);
    this.#changed.add(node.name);
  }

  removeNode(name: string): void {
    this.nodes.delete(name);
    this.#changed.add(name);
  }

  isReady(): boolean {
    return this.isComplete;
  }

  takeChanges(): { nodes: string[]; removed: string[] } {
    const names = [...this.#changed];
    this.#changed = new Set();
    return { nodes: names.filter((name) => this.nodes.has(name)), removed: names.filter((name) => !this.nodes.has(name)) };
  }

  view(name: string): NodeInventory | undefined {
    this.views += 1;
    return this.nodes.get(name);
  }

  storage(): readonly StorageInventory[] {
    this.storageReads += 1;
    return [...this.classes.values()];
  }

  totals() {
    return totalsOf(this.nodes.values());
  }

  completeness(): Completeness {
    return { complete: this.stale.length === 0, stale: this.stale, leftOut: [] };
  }
}
