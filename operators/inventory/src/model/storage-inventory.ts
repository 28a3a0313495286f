import type { Amount } from './amount.ts';
import type { Reason, StaleSource, UnreadNodes } from './node-inventory.ts';

export type PerformanceClass = 'default' | 'beta1' | 'beta2' | 'beta3' | 'ram';

/** One storage class, offered or not. */
export interface StorageInventory {
  readonly class: string;
  readonly provisioner: string;
  /** Which querier answers for it: rook-ceph, longhorn, local-path, csi-capacity; empty when none does. */
  readonly backend: string;
  readonly performance?: PerformanceClass | undefined;
  /** Whether the cluster gives it to claims that name no class. Absent when it does not. */
  readonly isDefault?: boolean | undefined;
  /** Why it is not offered, one machine-readable reason with a hint. Absent exactly when it is offered. */
  readonly refusal?: Reason | undefined;
  /**
   * Usable bytes, after replication. Absent while unknown. For node-local classes the sum over nodes, where what is left on nodes that are not sold
   * is not available.
   */
  readonly amount?: Amount | undefined;
  /** Node-local classes: node -> amount. Nobody can use one node's space on another. */
  readonly perNode?: ReadonlyMap<string, Amount> | undefined;
  /** What volumes of this class are promised to hold, whether or not it is written yet. */
  readonly promisedBytes: number;
  readonly volumes: number;
  readonly replicas?: number | undefined;
  /** How many replicas of one volume may lie on one node. Absent where it is one. */
  readonly replicasPerNode?: number | undefined;
  /** Classes that draw on the same space: what one takes the others lack. */
  readonly sharesSpaceWith?: readonly string[] | undefined;
  /** The nodes, sorted, on which the space is, or may be, the node's ephemeral storage too. */
  readonly ephemeralNodes?: readonly string[] | undefined;
  /** Of a class that is not node-local and shares space with nodes' ephemeral storage. Not published. */
  readonly beside?: FiguresBeside | undefined;
  /** Node-local classes: the nodes, sorted, of which nobody has reported whether they have room. Absent when all have. */
  readonly silentNodes?: readonly string[] | undefined;
  /** The largest single volume that fits now, where that is less than what is available. */
  readonly largestVolumeBytes?: number | undefined;
  /** Undefined before it was first read. */
  readonly observedAt?: number | undefined;
}

/** The figures of a class when so much of the ephemeral storage of nodes is promised, to pods and to volumes, its own among them. */
export type FiguresBeside = (promisedOn: (node: string) => number) => Pick<StorageInventory, 'amount' | 'largestVolumeBytes'>;

/** What a StorageClass object says, as far as queriers need it. */
export interface StorageClassFacts {
  readonly name: string;
  readonly provisioner: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A reading of one class by a querier: figures, or why there are none. A failure to read is never a figure of zero. */
export type StorageReading =
  | {
      readonly known: true;
      readonly amount: Amount;
      /**
       * The places of volumes of the class that `perNode` has as allocated, each with its node; of a class that has none, those that `amount` has, each with an
       * empty name. Never one that they lack: nobody holds the space of claims that are said to be counted.
       */
      readonly counted: ReadonlyMap<string, string>;
      readonly perNode?: ReadonlyMap<string, Amount> | undefined;
      readonly replicas?: number | undefined;
      readonly replicasPerNode?: number | undefined;
      readonly performance?: PerformanceClass | undefined;
      /** Readings with the same name of a space draw on the same bytes. */
      readonly space?: string | undefined;
      readonly ephemeralNodes?: readonly string[] | undefined;
      readonly beside?: FiguresBeside | undefined;
      readonly silentNodes?: readonly string[] | undefined;
      readonly largestVolumeBytes?: number | undefined;
      /** Why nothing more should be promised although the figures are known: the backend is ill. */
      readonly refusal?: Reason | undefined;
      readonly observedAt: number;
    }
  | { readonly known: false; readonly reason: Reason };

/** Answers for the storage classes of one kind of backend. A new backend is a new file with one of these, and nothing else. */
export interface StorageQuerier {
  readonly name: string;
  handles(storageClass: StorageClassFacts): boolean;
  /** The present answer, from memory. Keeps the last good figures while the backend is out of reach, with their age. */
  read(storageClass: StorageClassFacts): StorageReading;
  readonly sources: StorageSources;
  /** Whether or not the classes of the volumes are offered or known. */
  volumesInEphemeral?(): VolumesInEphemeral;
}

/** What volumes were promised in the ephemeral storage of nodes. */
export interface VolumesInEphemeral {
  /** Node -> bytes, as far as they could be read. */
  readonly bytes: ReadonlyMap<string, number>;
  /** Where there may be any more. */
  readonly unread: UnreadNodes;
}

/** What a querier follows, from when it is made until it is stopped. */
export interface StorageSources {
  /** Resolves when the first answer is there, or when there cannot be one. */
  whenReady(signal: AbortSignal): Promise<void>;
  /** Which of them cannot be heard right now. A backend that is not installed is heard: it says that it is not there. */
  stale(): readonly StaleSource[];
  /** Whether there are objects that could never be read, so that nothing follows from their absence. */
  hasUnread?(): boolean;
  stop(): Promise<void>;
}
