import type { Clock, Log, Random } from '@quartermaster/kernel';
import {
  type Cache,
  type CacheOptions,
  type FieldSelection,
  type KubeClient,
  type KubeObject,
  kinds,
  type ReadableCache,
  type ResourceType,
  type Selected,
  startCache,
} from '@quartermaster/kube';
import type { Lease, Node } from '@quartermaster/kube/shapes';
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

export interface ControllerContext {
  readonly client: KubeClient;
  readonly caches: ControllerCaches;
  readonly events: ClusterEvents;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** One cache of each kind, for all controllers together. The pods are indexed by `owner` (uid), `node` and `namespace`, and belong to whoever gave them. */
export type ControllerCaches = ReturnType<typeof startControllerCaches>;

export function startControllerCaches(
  client: KubeClient,
  pods: ReadableCache<WorkloadPod>,
  context: Pick<ControllerContext, 'clock' | 'random' | 'log'>,
) {
  const whole = <O extends KubeObject>(type: ResourceType<O>, indexes?: CacheOptions<O, O>['indexes']): Cache<O> =>
    startCache(client, { type, project: (object) => object, indexes, ...context });
  return {
    pods,
    nodes: startCache(client, { type: kinds.nodes, fields: nodeFields, project: (node) => node, ...context }),
    /** When each was renewed. */
    leases: startCache(client, { type: kinds.leases, fields: leaseFields, project: ({ spec }) => spec?.renewTime, ...context }),
    namespaces: whole(kinds.namespaces),
    deployments: whole(kinds.deployments),
    replicaSets: whole(kinds.replicaSets, { owner: ({ value }) => (value.metadata?.ownerReferences ?? []).map(({ uid }) => uid) }),
    statefulSets: whole(kinds.statefulSets),
    daemonSets: whole(kinds.daemonSets),
    services: whole(kinds.services, { namespace: ({ value }) => [value.metadata?.namespace ?? ''] }),
    endpointSlices: whole(kinds.endpointSlices, {
      service: ({ value: { metadata } }) => [`${metadata?.namespace ?? ''}/${metadata?.labels?.['kubernetes.io/service-name'] ?? ''}`],
    }),
    claims: whole(kinds.persistentVolumeClaims),
    volumes: whole(kinds.persistentVolumes),
    classes: whole(kinds.storageClasses),
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
