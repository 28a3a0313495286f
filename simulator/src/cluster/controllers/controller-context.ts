import type { Clock, Log, Random } from '@quartermaster/kernel';
import {
  type Cache,
  type FieldSelection,
  type KubeClient,
  kinds,
  type ReadableCache,
  type Selected,
  startCache,
} from '@quartermaster/kube';
import type {
  DaemonSet,
  Deployment,
  EndpointSlice,
  Lease,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  ReplicaSet,
  Service,
  StatefulSet,
  StorageClass,
} from '@quartermaster/kube/shapes';
import type { ClusterEvents } from '../client/cluster-events.ts';
import type { WorkloadPod } from '../pods/workload-pod.ts';

const nodeFields = {
  metadata: { name: true, uid: true, resourceVersion: true, labels: true },
  spec: { taints: true, unschedulable: true },
  status: { conditions: true },
} as const satisfies FieldSelection<Node>;
const leaseFields = { spec: { renewTime: true } } as const satisfies FieldSelection<Lease>;

/** What controllers read of a Node. */
export type ControlledNode = Selected<Node, typeof nodeFields>;

/** One cache of each kind, for all controllers together. */
export interface ControllerCaches {
  /** Indexed by `owner` (uid), `node` and `namespace`. Belongs to whoever gave it. */
  readonly pods: ReadableCache<WorkloadPod>;
  readonly nodes: Cache<ControlledNode>;
  /** When each was renewed. */
  readonly leases: Cache<string | undefined>;
  readonly namespaces: Cache<Namespace>;
  readonly deployments: Cache<Deployment>;
  /** Indexed by `owner` (uid). */
  readonly replicaSets: Cache<ReplicaSet>;
  readonly statefulSets: Cache<StatefulSet>;
  readonly daemonSets: Cache<DaemonSet>;
  /** Indexed by `namespace`. */
  readonly services: Cache<Service>;
  /** Indexed by `service` (namespace/name). */
  readonly endpointSlices: Cache<EndpointSlice>;
  readonly claims: Cache<PersistentVolumeClaim>;
  readonly volumes: Cache<PersistentVolume>;
  readonly classes: Cache<StorageClass>;
  readonly events: Cache<{ readonly lastSeenMs: number }>;
}

export interface ControllerContext {
  readonly client: KubeClient;
  readonly caches: ControllerCaches;
  readonly events: ClusterEvents;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export function startControllerCaches(
  client: KubeClient,
  pods: ReadableCache<WorkloadPod>,
  context: Pick<ControllerContext, 'clock' | 'random' | 'log'>,
): ControllerCaches {
  const whole = <T>(object: T): T => object;
  return {
    pods,
    nodes: startCache(client, { type: kinds.nodes, fields: nodeFields, project: whole, ...context }),
    leases: startCache(client, { type: kinds.leases, fields: leaseFields, project: ({ spec }) => spec?.renewTime, ...context }),
    namespaces: startCache(client, { type: kinds.namespaces, project: whole, ...context }),
    deployments: startCache(client, { type: kinds.deployments, project: whole, ...context }),
    replicaSets: startCache(client, {
      type: kinds.replicaSets,
      project: whole,
      indexes: { owner: ({ value }) => (value.metadata?.ownerReferences ?? []).map(({ uid }) => uid) },
      ...context,
    }),
    statefulSets: startCache(client, { type: kinds.statefulSets, project: whole, ...context }),
    daemonSets: startCache(client, { type: kinds.daemonSets, project: whole, ...context }),
    services: startCache(client, {
      type: kinds.services,
      project: whole,
      indexes: { namespace: ({ value }) => [value.metadata?.namespace ?? ''] },
      ...context,
    }),
    endpointSlices: startCache(client, {
      type: kinds.endpointSlices,
      project: whole,
      indexes: {
        service: ({ value }) => [`${value.metadata?.namespace ?? ''}/${value.metadata?.labels?.['kubernetes.io/service-name'] ?? ''}`],
      },
      ...context,
    }),
    claims: startCache(client, { type: kinds.persistentVolumeClaims, project: whole, ...context }),
    volumes: startCache(client, { type: kinds.persistentVolumes, project: whole, ...context }),
    classes: startCache(client, { type: kinds.storageClasses, project: whole, ...context }),
    events: startCache(client, {
      type: kinds.events,
      project: ({ metadata, series, deprecatedLastTimestamp }) => ({
        lastSeenMs: Date.parse(series?.lastObservedTime ?? deprecatedLastTimestamp ?? metadata?.creationTimestamp ?? '') || 0,
      }),
      ...context,
    }),
  };
}

/** Stops all but the pods, which were given. */
export async function stopControllerCaches({ pods, ...own }: ControllerCaches): Promise<void> {
  await Promise.all(Object.values(own).map((cache: { stop(): Promise<void> }) => cache.stop()));
}
