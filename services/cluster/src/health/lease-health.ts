import type { ManifestGroup } from '@quartermaster/api/lease-manifest';

/** A replica's pod, as the cache keeps it. */
export interface SeenLeasePod {
  readonly name: string;
  readonly uid: string;
  readonly service: string;
  /** Empty until it has a place. */
  readonly node: string;
  /** The node that its own affinity names; empty before it was given one. */
  readonly assignedTo: string;
  /** The unit of the plan whose place it was given; undefined where it was given none yet. */
  readonly unit?: number | undefined;
  readonly isGated: boolean;
  readonly isDeleting: boolean;
  readonly phase: string;
  readonly isReady: boolean;
  readonly restarts: number;
  /** Wall clock, milliseconds. */
  readonly createdAt: number;
  /** Of the pod itself: Evicted, NodeLost. */
  readonly reason: string;
  readonly message: string;
  /** Why the scheduler has no place for it; empty: it has, or has not looked. */
  readonly unschedulable: string;
  /** What its container waits for, and how it last ended. */
  readonly waiting?: { readonly reason: string; readonly message: string } | undefined;
  readonly lastEnd?: { readonly reason: string; readonly exitCode: number; readonly message: string } | undefined;
  /** PersistentVolumeClaims that it mounts, by name. */
  readonly claims: readonly string[];
  readonly gpus: number;
}

export interface SeenWorkload {
  /** By its label: the name of a StatefulSet may be a shortened one. */
  readonly service: string;
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly available: number;
  readonly ready: number;
  readonly updated: number;
  readonly isObserved: boolean;
  /** Why its controller cannot make pods; undefined: it can, or does not say. */
  readonly failure?: string | undefined;
}

export interface SeenClaim {
  readonly name: string;
  readonly phase: string;
  readonly storageClass: string;
  readonly bytes: number;
  /** That its driver was told to use; empty: none. */
  readonly node: string;
}

export type NodeSight = (node: string, use: 'runs' | 'is-to-run') => boolean;

export interface HealthInput {
  readonly group: ManifestGroup;
  readonly pods: readonly SeenLeasePod[];
  readonly workloads: readonly SeenWorkload[];
  readonly claims: readonly SeenClaim[];
  /** Whether a node tells what runs there, and takes what is to run: what is on a silent one is not known, and what waits for one that is held back has not failed. */
  readonly isNodeSeen: NodeSight;
  /** Why what is here may be old: some cache is not being followed. Undefined: it is all followed. */
  readonly blind?: string | undefined;
  /** All replicas have been available once since the manifest came. */
  readonly hasRun: boolean;
  /** It has had so much time to start that what lacks now counts as missing. */
  readonly isLate: boolean;
}

export interface ServiceHealth {
  readonly service: string;
  readonly count: number;
  readonly available: number;
  readonly ready: number;
  readonly updated: number;
  readonly state: 'starting' | 'healthy' | 'unhealthy' | 'unknown';
  readonly problems: readonly HealthProblem[];
}

export interface HealthProblem {
  /** ImagePullFailed, CrashLoop, OutOfMemory, Unschedulable, WaitingForPlace, VolumePending, VolumeFull, Evicted, NodeSilent, NotReady, QuotaExceeded, NotSeen. */
  readonly code: string;
  /** For the tenant, with the way out. */
  readonly message: string;
  /** A pod; the service where it is about none, or about all of them. */
  readonly subject: string;
  /** What Kubernetes says, for the provider alone: it may name what is of others, or inside of the provider. */
  readonly cause?: string | undefined;
}

export interface LeaseHealthReport {
  readonly state: 'starting' | 'healthy' | 'unhealthy' | 'unknown';
  readonly services: readonly ServiceHealth[];
}
