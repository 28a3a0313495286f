import type { Division, Fill, SellState } from '../states/index.ts';

/*
 * What views of the inventory say, as plain JSON: what there is to sell, what is sold, what is held back and why, and what nobody knows. Amounts are
 * whole numbers: millicores, bytes, devices.
 */

export interface CapacityView {
  /** What of the inventory is not being followed right now. */
  readonly stale: readonly SilentSource[];
  /** Operators of earlier releases do not say. */
  readonly leftOut?: readonly LeftOutView[] | undefined;
  readonly nodes: { readonly sellable: number; readonly heldBack: number; readonly unknown: number };
  /** All of them, shown or not. */
  readonly needCount: number;
  /** Of storage. */
  readonly storageNeedCount: number;
  readonly lines: readonly CapacityLine[];
}

/** Objects of one source that are there and could not be read. */
export interface LeftOutView {
  readonly source: string;
  readonly count: number;
  /** The first of them. */
  readonly named: readonly { readonly name: string; readonly reason: string }[];
}

export interface SilentSource {
  /** nodes, pods, hardware … */
  readonly source: string;
  /** Milliseconds since the epoch; absent if it was never heard. */
  readonly since?: number | undefined;
  readonly reason: string;
}

/** One bar: a resource over all nodes, the GPUs of one model, or a storage class. */
export interface CapacityLine {
  readonly kind: 'resource' | 'model' | 'class';
  /** Within its kind: gpu, cpu, memory, disk; `nvidia h100 SXM5 80Gi`; the name of the class. */
  readonly name: string;
  readonly unit: 'devices' | 'millicores' | 'bytes';
  readonly division: Division;
  /** Why some of it is held back or unknown, the most first: all of both, and no more. */
  readonly why: readonly Withheld[];
}

export interface Withheld {
  readonly state: 'held-back' | 'unknown';
  /**
   * The code of the reason: Cordoned, DiskPressure … of whole nodes; `System` for what nodes or backends keep for themselves, `Quarantined` for sick
   * cards, `NotOffered` for cards that the kubelet does not offer whole, `MemoryVolumes` and `LocalVolumes` for volumes in a node's memory and on its disk.
   */
  readonly code: string;
  readonly amount: number;
  /** On how many nodes; 0 where it is not about whole nodes. */
  readonly nodes: number;
}

/** Something that keeps capacity from being sold until a person looks at it. */
export interface Need {
  readonly kind: 'node' | 'gpu' | 'class';
  /** The name of the node or class, the id of the card. */
  readonly id: string;
  /** Where a card is. */
  readonly node?: string | undefined;
  readonly state: 'held-back' | 'unknown';
  readonly reason: ReasonView;
  /** Further reasons of the same thing. */
  readonly more: number;
  readonly gpus: number;
  readonly cpuMillis: number;
  /** Of storage classes. */
  readonly bytes: number;
}

export interface ReasonView {
  readonly code: string;
  readonly message: string;
  /** Milliseconds since the epoch, where that is known. */
  readonly since?: number | undefined;
}

/** Allocated, sellable, held back, unknown. */
export type DivisionTuple = readonly [number, number, number, number];

/** Capacity at one moment. Without the three, nobody knew: a gap. */
export interface TrendSample {
  readonly at: number;
  readonly gpu?: DivisionTuple | undefined;
  readonly cpu?: DivisionTuple | undefined;
  readonly memory?: DivisionTuple | undefined;
}

/** How what a node has divides, in a row of many. The last four add up to the first. */
export type AmountTuple = readonly [capacity: number, allocated: number, sellable: number, heldBack: number, unknown: number];

/** What can be sold of a node, as the tables and the map show it. */
export interface NodeSale {
  readonly state: SellState;
  /** Codes of the reasons why it is not sellable. */
  readonly why: readonly string[];
  /** Cards in quarantine. */
  readonly quarantined: number;
  readonly cpu: AmountTuple;
  readonly memory: AmountTuple;
  readonly disk: AmountTuple;
  /** All models together; absent where there are no GPUs. */
  readonly gpu?: AmountTuple | undefined;
  /** `nvidia h100 SXM5 80Gi` -> cards */
  readonly models: Readonly<Record<string, number>>;
}

export interface AmountView {
  readonly capacity: number;
  readonly allocatable: number;
  readonly allocated: number;
  readonly available: number;
  readonly overcommitted: number;
}

export interface NodeDetail {
  readonly name: string;
  readonly state: SellState;
  /** Empty exactly when it is sellable. */
  readonly reasons: readonly ReasonView[];
  readonly conditions: readonly ReasonView[];
  /** How its resources and GPU models divide, as the lines of `capacity` do, and after them whatever else its kubelet counts. */
  readonly lines: readonly CapacityLine[];
  readonly cpu: AmountView;
  readonly memory: AmountView;
  /** Bytes of memory-backed volumes. */
  readonly ram: number;
  readonly disk: AmountView;
  readonly models: readonly {
    readonly name: string;
    readonly amount: AmountView;
    readonly architecture?: string | undefined;
    readonly computeCapability?: string | undefined;
    /** The slices that cards are cut into, by the labels of the node. */
    readonly migProfiles?: readonly string[] | undefined;
  }[];
  readonly gpus: readonly GpuView[];
  readonly extended: readonly { readonly name: string; readonly amount: AmountView }[];
  readonly storageClasses: readonly string[];
  readonly machine: Readonly<Record<string, string>>;
  readonly cpus: readonly { readonly id: string; readonly model: string; readonly cores: number; readonly threads: number }[];
  readonly memoryModules: readonly {
    readonly sizeBytes: number;
    readonly type?: string | undefined;
    readonly speedMtps?: number | undefined;
  }[];
  readonly disks: readonly {
    readonly name: string;
    readonly kind: string;
    readonly sizeBytes: number;
    readonly model?: string | undefined;
    readonly serial?: string | undefined;
  }[];
  readonly nics: readonly {
    readonly name: string;
    readonly mac: string;
    readonly speedMbps?: number | undefined;
    readonly driver?: string | undefined;
    readonly isUp?: boolean | undefined;
    readonly rdmaDevice?: string | undefined;
  }[];
  /** Of the processors: amd64, arm64. */
  readonly architecture?: string | undefined;
  /** All that the system has. */
  readonly memoryBytes?: number | undefined;
  /** What the agent could not read and why, one line each. */
  readonly agentProblems?: readonly string[] | undefined;
  /** Nodes with the same one are in one NVLink domain. */
  readonly nvlinkDomain?: string | undefined;
  /** What is really used. */
  readonly used?: { readonly cpuMillis: number; readonly memoryBytes: number; readonly observedAt: number } | undefined;
  /** When the agent found the machine to be like this; absent if no agent ever reported. */
  readonly hardwareAt?: number | undefined;
  /** What of this node alone is not confirmed now; its kubelet, its agent. */
  readonly stale: readonly SilentSource[];
  readonly observedAt: number;
}

export interface GpuView {
  readonly id: string;
  /** `nvidia h100 SXM5 80Gi` */
  readonly model: string;
  readonly state: 'healthy' | 'quarantined' | 'unknown';
  /** What the card counts as. */
  readonly fill: Fill;
  readonly reason?: ReasonView | undefined;
  readonly holder?: { readonly namespace: string; readonly pod: string } | undefined;
  /** Of a card that is cut up or shared. */
  readonly parts?: readonly GpuPartView[] | undefined;
  readonly pciAddress?: string | undefined;
  readonly driver?: string | undefined;
  /** Percent. */
  readonly utilization?: number | undefined;
  /** hopper, ada-lovelace … */
  readonly architecture?: string | undefined;
  readonly computeCapability?: string | undefined;
  /** NVLinks that are up. */
  readonly nvlinks?: number | undefined;
  /** Cards of the node with the same number reach each other over NVLink. */
  readonly nvlinkGroup?: number | undefined;
  readonly numaNode?: number | undefined;
  /** How it is, or can be, cut into slices: profiles. */
  readonly mig?: { readonly enabled: boolean; readonly profiles: readonly string[]; readonly instances: readonly string[] } | undefined;
}

export interface GpuPartView {
  readonly id: string;
  /** `1g.10gb`; empty for a share. */
  readonly profile: string;
  readonly holder?: { readonly namespace: string; readonly pod: string } | undefined;
}

/** What one pod takes from its node. */
export interface PodUsage {
  readonly namespace: string;
  readonly name: string;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ramBytes: number;
  readonly diskBytes: number;
  /** Whole cards and other devices: resource -> pieces */
  readonly devices: Readonly<Record<string, number>>;
  /** Ids of the cards, where they are known. */
  readonly gpus: readonly string[];
}

export interface StorageCard {
  readonly name: string;
  readonly provisioner: string;
  /** Which system answers for it; empty when none does. */
  readonly backend: string;
  readonly performance?: string | undefined;
  /** Why it is not offered; absent exactly when it is. */
  readonly refusal?: ReasonView | undefined;
  /** After replication; absent while unknown. */
  readonly amount?: AmountView | undefined;
  /** The same figures as in the line of the class in `capacity`. */
  readonly division: Division;
  readonly why: readonly Withheld[];
  readonly promisedBytes: number;
  readonly volumes: number;
  readonly replicas?: number | undefined;
  readonly sharesSpaceWith: readonly string[];
  readonly largestVolumeBytes?: number | undefined;
  /** Of a class that lives on nodes: how many, and those with the most space left. */
  readonly places?:
    | {
        readonly count: number;
        readonly roomiest: readonly { readonly node: string; readonly available: number; readonly capacity: number }[];
      }
    | undefined;
  readonly observedAt?: number | undefined;
}
