import type { kinds } from '@quartermaster/kube';

type Pod = NonNullable<(typeof kinds.pods)['shape']>;

/** What the console keeps of a pod. There may be 150 000 of them. */
export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly node: string | undefined;
  /** The newest stamp that the pod carries, milliseconds since the epoch; 0 when it has none. */
  readonly stampedAt: number;
}

export function podFacts(pod: Pod): PodFacts {
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
