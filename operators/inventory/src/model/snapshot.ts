import type { PodRequests } from '@quartermaster/kube';
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
  /** In no order. */
  readonly leasePods: readonly LeasePod[];
  /** In no order. */
  readonly leaseVolumes: readonly LeaseVolume[];
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
  /** The first of them, by name; all where they are nodes. */
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
  readonly leasePods: readonly LeasePod[];
  /** Their uids. */
  readonly removedLeasePods: readonly string[];
  readonly leaseVolumes: readonly LeaseVolume[];
  /** The uids of their claims. */
  readonly removedLeaseVolumes: readonly string[];
  readonly totals: InventoryTotals;
}

/** A pod of a lease that takes room on a known node: what that node has allocated, at the same moment, contains its amounts. */
export interface LeasePod {
  readonly uid: string;
  readonly namespace: string;
  /** Of the namespace of that name; undefined while that is not known. */
  readonly namespaceUid: string | undefined;
  readonly name: string;
  /** The label of its service among them. */
  readonly leaseLabels: Readonly<Record<string, string>>;
  readonly node: string;
  readonly requests: PodRequests;
  readonly ramBytes: number;
  /** Ids of GPU devices and of parts of them, where known. */
  readonly devices: readonly string[];
}

/** A claim of a lease: what its class has allocated at the same moment, on that node if it is node-local, contains its bytes. */
export interface LeaseVolume {
  /** Of the claim. */
  readonly uid: string;
  readonly namespace: string;
  /** Of the namespace of that name; undefined while that is not known. */
  readonly namespaceUid: string | undefined;
  readonly name: string;
  /** The one that counts it. */
  readonly class: string;
  readonly bytes: number;
  /** What the claim asks for, never more than that. */
  readonly requestedBytes: number;
  /** The node whose own space it is; empty exactly for a class that is not node-local. */
  readonly node: string;
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
