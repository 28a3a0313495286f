import type { Selected } from '@quartermaster/kube';
import type { Lease, Pod } from '@quartermaster/kube/shapes';

/** What is read of a pod; the rest of it, most of its size, is not even parsed. */
export const podFields = {
  metadata: { creationTimestamp: true, deletionTimestamp: true },
  spec: { nodeName: true },
  status: { phase: true, startTime: true, conditions: { lastTransitionTime: true } },
} as const;

type ReadPod = Selected<Pod, typeof podFields & { metadata: { name: true; namespace: true } }>;

/** What the console keeps of a pod. There may be 150 000 of them. */
export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly node: string | undefined;
  /** The newest stamp that the pod carries, milliseconds since the epoch; 0 when it has none. */
  readonly stampedAt: number;
}

export function podFacts(pod: ReadPod): PodFacts {
  const isEnding = pod.metadata?.deletionTimestamp !== undefined;
  const stamps = [
    pod.metadata?.creationTimestamp,
    pod.status?.startTime,
    ...(pod.status?.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime),
  ];
  const times = stamps.map((stamp) => Date.parse(stamp ?? '')).filter((time) => !Number.isNaN(time));
  return {
    namespace: pod.metadata?.namespace ?? '',
    name: pod.metadata?.name ?? '',
    phase: isEnding ? 'Terminating' : (pod.status?.phase ?? 'Unknown'),
    node: pod.spec?.nodeName,
    stampedAt: times.length === 0 ? 0 : Math.max(...times),
  };
}

/** What is read of the lease that each node renews. */
export const heartbeatFields = { spec: { renewTime: true } } as const;

/** Where Kubernetes keeps one lease for each node, under the node's name. */
export const heartbeatNamespace = 'kube-node-lease';

/** When a node last renewed its lease. */
export interface HeartbeatFacts {
  readonly node: string;
  /** Milliseconds since the epoch; undefined when it never did. */
  readonly renewedAt: number | undefined;
}

type ReadLease = Selected<Lease, typeof heartbeatFields & { metadata: { name: true } }>;

export function heartbeatFacts({ metadata, spec }: ReadLease): HeartbeatFacts {
  const renewedAt = Date.parse(spec?.renewTime ?? '');
  return { node: metadata?.name ?? '', renewedAt: Number.isNaN(renewedAt) ? undefined : renewedAt };
}
