import type { InventorySource, NodeSale } from './inventory-source.ts';

/**
 * What the console shows, as plain JSON. Whoever runs the console keeps a source up to date; the console's server cuts from it
 * what each open page asks for, and says how old it is.
 */
export interface ConsoleSource {
  /**
   * The newest snapshot. It is never changed afterwards, and parts that stayed the same may be the same objects: the console
   * compares by identity first.
   */
  current(): ConsoleSnapshot;
  /**
   * One page of pods, those that changed last first; undefined while the cluster has not been read. The same page is the same
   * object for as long as nothing in it changed.
   */
  pods(query: PodQuery): PodPage | undefined;
  /** Absent where no inventory is kept. Its changes are told like all others. */
  readonly inventory?: InventorySource | undefined;
  /** Called after every change, at any pace. Returns a function that ends it. */
  subscribe(changed: () => void): () => void;
}

export type PartState = 'starting' | 'ready' | 'degraded' | 'failed' | 'stopped';

export interface ConsolePart {
  readonly name: string;
  /** An embedded server, a role of ours, or something that we only talk to. */
  readonly kind: 'embedded' | 'role' | 'external';
  readonly state: PartState;
  /** Why it is not ready, as a sentence. */
  readonly reason?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Facts worth showing beside it: address -> https://127.0.0.1:…, pid -> 123. */
  readonly facts: Readonly<Record<string, string>>;
}

export interface ConsoleNode {
  readonly name: string;
  readonly isReady: boolean;
  /** `Ready`, or the reason why not: `NotReady: kubelet stopped posting`, `SchedulingDisabled`. */
  readonly state: string;
  readonly rack?: string | undefined;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  /** GPU model -> count. */
  readonly gpus: Readonly<Record<string, number>>;
  readonly pods: number;
  /** Milliseconds since the epoch. */
  readonly heartbeatAt?: number | undefined;
  /** What the inventory says of it; absent while it has not. */
  readonly sale?: NodeSale | undefined;
}

export interface ConsolePod {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly node?: string | undefined;
  readonly changedAt: number;
}

/** Which pods, and which page of them. There may be 150 000: nobody gets all of them at once. */
export interface PodQuery {
  /** Words that must all occur in `namespace/name` or in the node's name, whatever their case. */
  readonly text?: string | undefined;
  readonly phase?: string | undefined;
  /** Only those placed on this node. */
  readonly node?: string | undefined;
  /** The first is 0. */
  readonly page: number;
  readonly size: number;
}

export interface PodPage {
  /** Of all pods of the cluster. */
  readonly total: number;
  /** Of those that the query asks for, on all pages. */
  readonly matching: number;
  readonly pods: readonly ConsolePod[];
}

export interface ConsoleSnapshot {
  readonly installation: {
    readonly version: string;
    readonly startedAt: number;
    readonly scenario?: string | undefined;
    readonly dataDirectory?: string | undefined;
    readonly kubernetes: 'simulated' | 'real' | 'given';
    readonly server: string;
    readonly kubeconfig: string;
  };
  readonly parts: readonly ConsolePart[];
  /** Undefined while the cluster has not been read yet: unknown is not empty. */
  readonly cluster?:
    | {
        /** When the cluster last confirmed this, milliseconds since the epoch. */
        readonly observedAt: number;
        readonly nodes: readonly ConsoleNode[];
        /** phase -> pods */
        readonly podsByPhase: Readonly<Record<string, number>>;
      }
    | undefined;
}
