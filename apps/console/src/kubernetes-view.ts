/** What the console shows of Kubernetes, as its role reads it for those who run the installation. Times are in milliseconds since the epoch. */

export const podsPath = '/api/console/v1/pods';
/** Names alone: for who looks for one pod among all. */
export const podNamesPath = '/api/console/v1/pod-names';
export const eventsPath = '/api/console/v1/events';

export interface PodRow {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  /** Why it is not what it should be, where Kubernetes says so: `CrashLoopBackOff`, `Evicted`. */
  readonly reason?: string | undefined;
  readonly node?: string | undefined;
  readonly createdAt?: number | undefined;
  readonly restarts: number;
}

/** How many pods of the API server were looked at for an answer, and whether these were all. */
export interface LookedAt {
  readonly pods: number;
  readonly isComplete: boolean;
}

/** One page of the pods that match, the newest first, of those that were looked at. */
export interface PodList {
  readonly pods: readonly PodRow[];
  readonly matched: number;
  /** phase -> how many match everything but the phase that was asked for. */
  readonly phases: Readonly<Record<string, number>>;
  readonly looked: LookedAt;
  /** Where to look further; undefined when there is nothing more to look at. */
  readonly continue?: string | undefined;
  /** How many were not looked at, where the API server says so. */
  readonly remaining?: number | undefined;
}

/** Pods whose names hold every word, in the order of the API server. */
export interface PodNames {
  readonly pods: readonly PodRow[];
  readonly looked: LookedAt;
}

export interface ContainerView {
  readonly name: string;
  readonly image: string;
  readonly isInit: boolean;
  readonly isReady: boolean;
  /** `running`, `waiting`, `terminated`; undefined before the kubelet said anything. */
  readonly state?: string | undefined;
  readonly reason?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly restarts: number;
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

export interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly since?: number | undefined;
}

/** A pod without what may hold secrets: no environment, no arguments, no annotations. */
export interface PodDetail extends PodRow {
  readonly startedAt?: number | undefined;
  readonly serviceAccount?: string | undefined;
  readonly owner?: { readonly kind: string; readonly name: string } | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** As the scheduler counts it. */
  readonly requests: {
    readonly cpuMillis: number;
    readonly memoryBytes: number;
    /** `nvidia.com/gpu` -> 2 */
    readonly extended: Readonly<Record<string, number>>;
  };
  readonly containers: readonly ContainerView[];
  readonly conditions: readonly PodCondition[];
}

export interface EventRow {
  /** The same when it is told again. */
  readonly id: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
  readonly source: string;
  readonly at?: number | undefined;
}

/** The newest first, of those that were read. */
export interface EventList {
  readonly events: readonly EventRow[];
  /** Whether these are all that the API server has. */
  readonly isComplete: boolean;
}
