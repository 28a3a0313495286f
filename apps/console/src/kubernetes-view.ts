/** What the console shows of Kubernetes, as its role reads it for those who run the installation. Times are in milliseconds since the epoch. */

export const podsPath = '/api/console/v1/pods';
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

/** One page of pods, in the order of the API server. */
export interface PodList {
  readonly pods: readonly PodRow[];
  /** Of the next page. */
  readonly continue?: string | undefined;
  /** How many follow, where the API server says so. */
  readonly remaining?: number | undefined;
  /** Of a search by name: how many pods were looked at, and whether these were all. */
  readonly searched?: { readonly pods: number; readonly isComplete: boolean } | undefined;
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
  /** Whether the API server has more than were read. */
  readonly isComplete: boolean;
}
