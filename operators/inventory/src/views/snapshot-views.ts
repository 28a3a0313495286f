import {
  type CapacityView,
  type ClusterSummary,
  type Need,
  type NodeRow,
  type StorageCard,
  summariseCluster,
} from '@quartermaster/api/inventory-views';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { InventorySnapshot } from '../model/snapshot.ts';
import { capacityLines } from './capacity-lines.ts';
import { needsOf } from './needs.ts';
import { silentSource } from './node-views.ts';
import { storageCard } from './storage-card.ts';

/** All needs are counted, so many are shown. */
const shownNeeds = 100;

/** Of each source. */
const shownLeftOut = 10;

/** What views say of one snapshot. Each is worked out when it is first asked for. */
export class SnapshotViews {
  readonly #snapshot: InventorySnapshot;
  readonly #nodeOf: (name: string) => NodeInventory | undefined;
  readonly #rowsOf: (nodes: readonly NodeInventory[]) => readonly NodeRow[];
  #capacity: CapacityView | undefined;
  #needs: readonly Need[] | undefined;
  #storage: readonly StorageCard[] | undefined;
  #rows: readonly NodeRow[] | undefined;
  #summary: ClusterSummary | undefined;

  constructor(
    snapshot: InventorySnapshot,
    nodeOf: (name: string) => NodeInventory | undefined,
    rowsOf: (nodes: readonly NodeInventory[]) => readonly NodeRow[],
  ) {
    this.#snapshot = snapshot;
    this.#nodeOf = nodeOf;
    this.#rowsOf = rowsOf;
  }

  get capacity(): CapacityView {
    const { nodes, storage, completeness, totals } = this.#snapshot;
    this.#capacity ??= {
      stale: completeness.stale.map(silentSource),
      leftOut: completeness.leftOut.map((each) => ({ ...each, named: each.named.slice(0, shownLeftOut) })),
      nodes: totals.nodes,
      needCount: this.#allNeeds.length,
      storageNeedCount: this.#allNeeds.filter(({ kind }) => kind === 'class').length,
      lines: capacityLines({ nodes, storage, nodeOf: this.#nodeOf }),
    };
    return this.#capacity;
  }

  get needs(): readonly Need[] {
    return this.#allNeeds.slice(0, shownNeeds);
  }

  get storage(): readonly StorageCard[] {
    this.#storage ??= this.#snapshot.storage.map((each) => storageCard(each, this.#nodeOf));
    return this.#storage;
  }

  get nodes(): readonly NodeRow[] {
    this.#rows ??= this.#rowsOf(this.#snapshot.nodes);
    return this.#rows;
  }

  get summary(): ClusterSummary {
    this.#summary ??= summariseCluster(this.nodes, this.capacity.lines);
    return this.#summary;
  }

  get #allNeeds(): readonly Need[] {
    this.#needs ??= needsOf(this.#snapshot.nodes, this.#snapshot.storage);
    return this.#needs;
  }
}
