/*
 * What the inventory says is there, in the words of the placement. Amounts are whole numbers of millicores, bytes or cards; what is free may be
 * negative where more is promised than there is.
 */

/** Why something is as it is: `code` for programs, in CamelCase; `message` for people. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

export interface NodeFacts {
  readonly name: string;
  readonly uid: string;
  /** Why it takes nothing new; empty exactly when it does. */
  readonly heldBack: readonly Reason[];
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
  /** How many pods more it runs; undefined where nobody knows: then it lacks none. */
  readonly podSlots?: number | undefined;
  /** Why nobody knows what is left of its ephemeral storage: none of that is sold, and nothing that was promised is missing. */
  readonly ephemeralUnknown?: Reason | undefined;
  readonly cards: readonly CardPool[];
  /** Storage classes that a pod on this node can use. */
  readonly storageClasses: readonly string[];
  /** Replicas are kept apart by it (a rack, a zone); each node by itself where there is none. */
  readonly spreadKey?: string | undefined;
}

/**
 * Cards of one resource name on a node. Where claims say which device a pod gets (dynamic resource allocation), each group is sold by itself. Where the device
 * plugin picks, nobody can say which of the free cards a pod will get: only their number is sold, to those whom every one of them satisfies.
 */
export type CardPool =
  | { readonly resource: string; readonly assignedBy: 'claim'; readonly groups: readonly CountedCards[] }
  | {
      readonly resource: string;
      readonly assignedBy: 'plugin';
      /** Cards that are there, and those of them that are free. */
      readonly size: number;
      readonly free: number;
      /** Every group of which a card is, or may be, free: a holder that nobody knows may have left any. */
      readonly mayBeFree: readonly CardGroup[];
    };

/** Cards that are alike. */
export interface CardGroup {
  readonly vendor: string;
  readonly model: string;
  /** As the inventory has it: PCIe, SXM5 … */
  readonly interface: string;
  readonly memoryBytes: number;
}

export interface CountedCards extends CardGroup {
  readonly size: number;
  readonly free: number;
}

export interface ClassFacts {
  readonly name: string;
  readonly performance?: string | undefined;
  /** Whether the cluster gives it to claims that name no class. */
  readonly isDefault?: boolean | undefined;
  /** Why it is not offered. */
  readonly refusal?: Reason | undefined;
  /** Bytes that can still be promised, the commit level applied; by node where the space is a node's own. Undefined while nobody knows. */
  readonly freeBytes?: number | ReadonlyMap<string, number> | undefined;
  /** Whether the space is a node's own, where `freeBytes` does not say so. */
  readonly isNodeLocal?: boolean | undefined;
  /** Copies of each byte: classes that share space may keep different numbers of them. */
  readonly replicas?: number | undefined;
  /** How many of them may lie on one node; one, unless it says so. */
  readonly replicasPerNode?: number | undefined;
  readonly sharesSpaceWith?: readonly string[] | undefined;
  readonly largestVolumeBytes?: number | undefined;
  /**
   * Nodes on which the space of a class is the node's ephemeral storage, too: what one takes the other lacks. Where the space is not a node's own, nobody can say
   * which of them a volume will take it of: so each is kept for it.
   */
  readonly ephemeralNodes?: ReadonlySet<string> | undefined;
  /** Nodes of which nobody can say whether they are among these: nothing is sold there beside volumes of the class, and nothing is missing there for them. */
  readonly maybeEphemeralNodes?: ReadonlySet<string> | undefined;
  /** The cluster no longer has it; volumes that were promised of it still count. */
  readonly isGone?: boolean | undefined;
}

/** What the cluster has once, not by node. */
export interface ClusterFacts {
  /** Ports that nobody has, this service's own promises not taken off. */
  readonly freePorts: number;
  /** Addresses likewise; `unknown` without a fresh answer from who gives them out. */
  readonly freeIps: number | 'unknown';
}

/** What is never sold: of each node, of the space of each storage class, and of the cluster. */
export interface Headroom {
  readonly cpuMillis?: number | undefined;
  readonly memoryBytes?: number | undefined;
  readonly ephemeralBytes?: number | undefined;
  /** Of each group of alike cards on a node; of the pool where the device plugin picks. */
  readonly cards?: number | undefined;
  readonly persistentBytes?: number | undefined;
  readonly ports?: number | undefined;
  readonly ips?: number | undefined;
}
