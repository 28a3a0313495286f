import type { CpuSocket, DiskFacts, MachineFacts, MemoryModule, MigFacts, NicFacts } from '@quartermaster/api/node-hardware';
import type { Amount } from './amount.ts';
import type { ObservedTaint } from './observed.ts';

/** Why something is as it is: `code` for programs, in CamelCase and stable; `message` for people, naming what to do. */
export interface Reason {
  readonly code: string;
  readonly message: string;
  /** When it became so, in milliseconds since the epoch, where that is known. */
  readonly since?: number | undefined;
}

/** Something that is not being heard of, so that what it last said is no longer confirmed. */
export interface StaleSource {
  readonly source: string;
  /** When it was last heard of, in milliseconds since the epoch; undefined if never. */
  readonly lastContactAt: number | undefined;
  readonly reason: string;
}

/**
 * Whether new work can be promised on a node. `held-back`: we know that it cannot, and why. `unknown`: the node is silent, so nobody can tell;
 * its amounts are the last known. Reasons are empty exactly when it is sellable.
 */
export interface Sellability {
  readonly state: 'sellable' | 'held-back' | 'unknown';
  readonly reasons: readonly Reason[];
}

/** One node with everything that it has, promises and lacks. A node that cannot be sold is still here. */
export interface NodeInventory {
  readonly name: string;
  readonly uid: string;
  readonly sellability: Sellability;
  /** Millicores. */
  readonly cpu: Amount;
  /** Bytes. `ram` is held back from `available`. */
  readonly memory: Amount;
  /** Bytes of memory-backed emptyDir volumes, once per pod: outside of the scheduler's count, but as gone as any other memory. */
  readonly ram: number;
  /** Bytes. Volumes on the same filesystem are held back from `available`. While not all of them could be read, what is left is unknown, see `undecided`. */
  readonly ephemeralStorage: Amount;
  /** One per vendor, model, memory and interface, in that order. */
  readonly gpus: readonly GpuGroup[];
  readonly devices: readonly GpuDevice[];
  /** Other resources that pods can ask for (huge pages, MIG slices, devices of other kinds): name -> amount. */
  readonly extended: ReadonlyMap<string, Amount>;
  /** Offered storage classes that a pod on this node can use, sorted. */
  readonly storageClasses: readonly string[];
  /** Named states such as OverAllocated, one per resource, that a person should know of; they may hold the node back. */
  readonly conditions: readonly Reason[];
  readonly hardware: NodeHardwareView;
  readonly utilization?: NodeUtilization | undefined;
  readonly pods: number;
  /** How many its kubelet runs; undefined where it does not say. */
  readonly podLimit?: number | undefined;
  /**
   * What of this node alone is not confirmed now: its kubelet, its agent. Empty while all of it is. What concerns all nodes alike is in the snapshot's
   * completeness. Times, not ages: nothing changes because time passes.
   */
  readonly stale: readonly StaleSource[];
  /** Nodes with the same one are in one NVLink domain. */
  readonly nvlinkDomain?: string | undefined;
  /** Taints that keep other pods away, and that tenants' pods tolerate. */
  readonly toleratedTaints: readonly ObservedTaint[];
  /** What is not known of it yet; undefined once everything is. */
  readonly undecided?: Undecided | undefined;
  /** When something of it last changed, in milliseconds since the epoch. */
  readonly observedAt: number;
}

/** What nobody can tell of a node yet, so that nothing follows from its absence. */
export interface Undecided {
  /** `models`: the cards are known, but not for sure what they are called. `cards`: not even those. */
  readonly gpus: 'models' | 'cards' | undefined;
  /** Classes of which it is not known whether a pod on this node can use them; `all` before the classes were read. */
  readonly storageClasses: 'all' | readonly string[];
  /** Set while nobody knows what volumes take of its ephemeral storage: nothing of that can be promised, and the condition `VolumesUnread` says so. */
  readonly ephemeralStorage?: 'available' | undefined;
}

/** Nodes of which something could not be read. */
export type UnreadNodes = 'all' | ReadonlySet<string>;

export const isUnread = (nodes: UnreadNodes, name: string): boolean => nodes === 'all' || nodes.has(name);

/** What tells of cards and could not be read. */
export interface UnreadCards {
  /** Nodes whose agents' reports could not be. */
  readonly reports: UnreadNodes;
  /** Whether devices of dynamic resource allocation could not be, of whichever node. */
  readonly devices: boolean;
  /** Whether something that may call cards otherwise could not be. */
  readonly names: boolean;
}

/** GPUs of a node that are alike: what an order can ask for. */
export interface GpuGroup {
  readonly vendor: string;
  readonly vendorId: string;
  readonly model: string;
  /** PCI product id, four hex digits; the lowest when alike cards differ in it. */
  readonly modelId: string;
  /** PCIe, SXM4 …: as the database spells it; empty when unknown. */
  readonly interface: string;
  /** 0 when unknown. */
  readonly memoryBytes: number;
  /** hopper, ada-lovelace … */
  readonly architecture?: string | undefined;
  /** 9.0 */
  readonly computeCapability?: string | undefined;
  /** The slices that cards are cut into, by the labels of the node: 1g.10gb … */
  readonly migProfiles?: readonly string[] | undefined;
  /** The resource name by which pods ask for them. */
  readonly resource: string;
  /**
   * Capacity: cards that are there. Allocatable: those that are healthy and that the kubelet offers. Where pods hold cards of unknown model, each
   * model that it could be counts them as allocated: too little is promised rather than a card twice.
   */
  readonly amount: Amount;
}

export interface GpuDevice {
  /** The driver's UUID; without one `<node>/<pci address>`, or `<pool>/<device>` from a DRA slice. */
  readonly id: string;
  readonly vendor: string;
  readonly model: string;
  readonly interface: string;
  readonly memoryBytes: number;
  /** hopper, ada-lovelace … */
  readonly architecture?: string | undefined;
  /** 9.0 */
  readonly computeCapability?: string | undefined;
  readonly pciAddress?: string | undefined;
  /** How the model was found: which of the sources in the order of trust. */
  readonly identifiedBy: 'override' | 'database' | 'driver' | 'labels' | 'pci-ids' | 'unknown';
  readonly state: 'healthy' | 'quarantined' | 'unknown';
  /** Of a quarantine. */
  readonly reason?: Reason | undefined;
  /** Of the whole card. */
  readonly holder?: DeviceHolderView | undefined;
  /** Of a card that is cut up, or that several pods use at the same time. */
  readonly parts?: readonly GpuPart[] | undefined;
  readonly driverVersion?: string | undefined;
  readonly cudaVersion?: string | undefined;
  /** NVLinks that are up. */
  readonly nvlinks?: number | undefined;
  /** Cards of the node with the same number reach each other over NVLink. */
  readonly nvlinkGroup?: number | undefined;
  readonly numaNode?: number | undefined;
  /** How it is, or can be, cut into slices. */
  readonly mig?: MigFacts | undefined;
  /** Percent. */
  readonly utilization?: number | undefined;
}

/** A part of a card that pods can have by itself. */
export interface GpuPart {
  /** As the kubelet or the driver calls it: the UUID of an instance, or the card with the number of a share. */
  readonly id: string;
  readonly kind: 'mig' | 'share';
  /** `1g.10gb`; empty for a share. */
  readonly profile: string;
  /** 0 when unknown, or shared. */
  readonly memoryBytes: number;
  readonly holder?: DeviceHolderView | undefined;
}

export interface DeviceHolderView {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid?: string | undefined;
  /** By whom this is known. */
  readonly source: 'kubelet' | 'claim';
}

export interface NodeHardwareView {
  /** Undefined while no agent has ever reported. */
  readonly observedAt?: number | undefined;
  readonly machine: MachineFacts;
  readonly cpus: readonly CpuSocket[];
  readonly memoryModules: readonly MemoryModule[];
  readonly disks: readonly DiskFacts[];
  readonly nics: readonly NicFacts[];
  /** Of the processors: amd64, arm64. */
  readonly architecture?: string | undefined;
  /** All that the system has. */
  readonly memoryBytes?: number | undefined;
  /** What the agent could not read and why, one line each. */
  readonly problems?: readonly string[] | undefined;
  readonly agentVersion?: string | undefined;
}

/** What was measured on a node. Each part comes from another source; one that is absent was not measured this time. */
export interface MeasuredUse {
  /** `none`: it is no longer measured. */
  readonly utilization?: NodeUtilization | 'none' | undefined;
  /** Percent by device id. Devices that are not in it have no figure. */
  readonly gpuPercent?: ReadonlyMap<string, number> | undefined;
}

/** What is really used, beside what is promised. Never capacity. */
export interface NodeUtilization {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  /** When these very figures were measured; later ones that are near them replace them only with something else of the node. */
  readonly observedAt: number;
}
