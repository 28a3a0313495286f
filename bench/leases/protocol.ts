/** What the processes of this benchmark tell each other. */

/** The name by which the API server knows requests of the process that runs leases. */
export const measuredAgent = 'bench-leases';

export interface ClusterReady {
  readonly kubeconfig: string;
  readonly nodes: readonly string[];
}

/** The answer of the cluster to any message: what the process that runs leases has sent so far. */
export interface RequestCount {
  readonly requests: number;
  /** Those of them that are not reads, less the renewals of the election. */
  readonly writes: number;
}

/** To the process that runs leases. It says `Ready` of its own accord, and answers each of these when it is done. */
export type RunnerRequest =
  /** Live as if nothing had happened for a while. */
  | { readonly kind: 'rest' }
  /** Run further leases, so many at the same time: `Deployed`. */
  | { readonly kind: 'deploy'; readonly leases: LeaseRange; readonly atOnce: number }
  /** Have leases end, with all that there is of them. */
  | { readonly kind: 'close'; readonly leases: LeaseRange }
  /** `Memory`. */
  | { readonly kind: 'memory' };

export interface LeaseRange {
  readonly first: number;
  readonly count: number;
}

/** Every lease was looked at, and nothing is left to do. */
export interface Ready {
  /** Since the process had read its code and the leases that the market has. */
  readonly seconds: number;
}

export interface Deployed {
  /** Of each lease: from its manifest to the last of its objects. */
  readonly seconds: readonly number[];
}

export interface Memory {
  /** The most that the process ever had. */
  readonly peakRssMb: number;
}

/** Of this process. */
export const memory = (): Memory => ({ peakRssMb: (process.resourceUsage().maxRSS * 1024) / 1e6 });
