import type { CardGroup, ClassFacts, NodeFacts } from '../placement/stock-facts.ts';

/** The inventory at one moment, or what changed since the moment before it. Applied as a whole: what nodes count and which pods they count belong together. */
export interface InventoryChange {
  /** `whole`: what is not in it is not there. */
  readonly kind: 'whole' | 'delta';
  /** Undefined of a server that has none. */
  readonly generation?: { readonly epoch: string; readonly sequence: bigint } | undefined;
  /** Wall clock, milliseconds. */
  readonly observedAt: number;
  readonly nodes: readonly NodeFigures[];
  readonly removedNodes: readonly string[];
  readonly classes: readonly ClassFigures[];
  readonly removedClasses: readonly string[];
  readonly pods: readonly LeasePod[];
  /** UIDs. */
  readonly removedPods: readonly string[];
  readonly volumes: readonly LeaseVolume[];
  /** UIDs of claims. */
  readonly removedVolumes: readonly string[];
}

/** A node, with what people are shown beside what the placement needs. */
export interface NodeFigures {
  readonly facts: NodeFacts;
  /** What it has for pods, and what of that they have; whether or not it takes new work. */
  readonly allocatable: NodeAmounts;
  readonly allocated: NodeAmounts;
  /** Taints that pods have to tolerate to run there, and may: of no others is the node free. None where the inventory does not tell. */
  readonly toleratedTaints?: readonly Taint[] | undefined;
}

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

export interface NodeAmounts {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
  /** Pods; undefined where nobody knows. */
  readonly pods?: number | undefined;
  /** By groupKey. */
  readonly cards: ReadonlyMap<string, number>;
}

export interface ClassFigures {
  readonly facts: ClassFacts;
  /** Usable bytes, commit level not applied, and what is promised of them. Undefined while unknown. */
  readonly allocatableBytes?: number | undefined;
  readonly allocatedBytes?: number | undefined;
}

/** A pod of a lease, counted in what its node has allocated. */
export interface LeasePod {
  readonly uid: string;
  readonly namespace: string;
  /** Undefined while nobody knows: then it may be anybody's. */
  readonly namespaceUid?: string | undefined;
  readonly name: string;
  /** Of the manifest; empty where the pod does not say. */
  readonly service: string;
  readonly node: string;
  readonly cpuMillis: number;
  /** With memory-backed volumes. */
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
  /** Resource name -> cards. */
  readonly cards: ReadonlyMap<string, number>;
  /** What each of its cards may be: one group where that is known, none where nobody knows. */
  readonly cardGroups: readonly CardGroup[];
  readonly devices: readonly string[];
}

/** A claim of a lease, counted in what its class has promised. */
export interface LeaseVolume {
  /** Of the claim. */
  readonly uid: string;
  readonly namespace: string;
  readonly namespaceUid?: string | undefined;
  readonly name: string;
  readonly storageClass: string;
  readonly bytes: number;
  /** Where the space is a node's own. */
  readonly node?: string | undefined;
}
