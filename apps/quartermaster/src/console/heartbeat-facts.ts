import type { Selected } from '@quartermaster/kube';
import type { Lease } from '@quartermaster/kube/shapes';

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
