import type { TotalAmount } from './amount.ts';
import type { NodeInventory, StaleSource } from './node-inventory.ts';
import type { StorageInventory } from './storage-inventory.ts';

/** When a state was true: states of one epoch are ordered by sequence; those of different epochs (a new leader, a restart) are not. */
export interface Generation {
  readonly epoch: string;
  readonly sequence: number;
}

/** The whole inventory at one moment. */
export interface InventorySnapshot {
  readonly clusterId: string;
  readonly generation: Generation;
  /** Milliseconds since the epoch. */
  readonly observedAt: number;
  readonly completeness: Completeness;
  readonly nodes: readonly NodeInventory[];
  readonly storage: readonly StorageInventory[];
  readonly totals: InventoryTotals;
}

/** What of the inventory is still true. Before everything has been read once, nothing is published at all. */
export interface Completeness {
  /** Every source is being followed right now, and all of its objects could be read. */
  readonly complete: boolean;
  /** What is not: nodes, pods, hardware, resource-slices, storage … with the time since when. */
  readonly stale: readonly StaleSource[];
  /** What is there and could not be read, by source. */
  readonly leftOut: readonly LeftOut[];
}

/** Objects of one source that could not be read. One that was good before counts as it last was, any other does not. */
export interface LeftOut {
  readonly source: string;
  readonly count: number;
  /** The first of them, by name. */
  readonly named: readonly LeftOutObject[];
}

export interface LeftOutObject {
  readonly name: string;
  readonly reason: string;
}

/** Totals over all nodes, split by what can be done with them. The three shares of a resource add up to its whole. */
export interface InventoryTotals {
  readonly nodes: { readonly sellable: number; readonly heldBack: number; readonly unknown: number };
  readonly sellable: ResourceTotals;
  readonly heldBack: ResourceTotals;
  readonly unknown: ResourceTotals;
}

export interface ResourceTotals {
  readonly cpu: TotalAmount;
  readonly memory: TotalAmount;
  readonly ephemeralStorage: TotalAmount;
  /** `vendor/model/interface/memory in Gi` -> devices. */
  readonly gpus: ReadonlyMap<string, TotalAmount>;
}

/** What changed between two generations of one epoch. Applying it to the older snapshot gives the newer one. */
export interface InventoryDelta {
  readonly clusterId: string;
  readonly from: Generation;
  readonly to: Generation;
  readonly observedAt: number;
  readonly completeness: Completeness;
  readonly nodes: readonly NodeInventory[];
  readonly removedNodes: readonly string[];
  readonly storage: readonly StorageInventory[];
  readonly removedStorage: readonly string[];
  readonly totals: InventoryTotals;
}

/** Who holds what. */
export interface Allocation {
  readonly podUid: string;
  readonly namespace: string;
  readonly pod: string;
  readonly node: string;
  /** Labels that tie a pod to its lease. */
  readonly leaseLabels: Readonly<Record<string, string>>;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ramBytes: number;
  readonly ephemeralStorageBytes: number;
  /** resource name -> pieces */
  readonly extended: ReadonlyMap<string, number>;
  /** Ids of GPU devices, where known. */
  readonly devices: readonly string[];
}
