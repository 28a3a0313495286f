import type { Secret } from '@quartermaster/kube/shapes';
import type { LeaseId } from '../model/lease.ts';
import { leaseOf, namespaceLabel } from '../model/lease-labels.ts';

/** A Secret of a manifest: its values, as they are. */
export interface KeptSecret {
  /** Name of the namespace of the lease. */
  readonly namespace: string;
  readonly leaseId: LeaseId | undefined;
  readonly values: ReadonlyMap<string, string>;
}

export function keptSecret({ metadata, data = {} }: Secret): KeptSecret {
  const values = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()] as const);
  const { labels = {}, annotations = {} } = metadata ?? {};
  const leaseId = leaseOf({ labels, annotations });
  return { namespace: labels[namespaceLabel] ?? '', leaseId: leaseId === 'tampered' ? undefined : leaseId, values: new Map(values) };
}
