import type { ApiObject } from '../api/api-object.ts';

export interface ClusterNodeSet {
  readonly host_class: string;
  readonly size: number;
  /** In the status only. */
  readonly hosts: readonly string[];
}

/** A node set as it was ordered and as it is. */
export interface NodeSetLine {
  readonly name: string;
  readonly hostClass: string;
  /** 0: given up, but it still has hosts. */
  readonly wanted: number;
  readonly hosts: readonly string[];
}

/** What of a cluster its node sets are told by. */
export interface OrderedCluster extends ApiObject {
  readonly spec?: { readonly node_sets: Readonly<Record<string, ClusterNodeSet>> } | undefined;
  readonly status?: { readonly node_sets: Readonly<Record<string, ClusterNodeSet>>; readonly hub?: string | undefined } | undefined;
}

/** Every node set that was ordered or still has hosts, by name. */
export function nodeSetLines({ spec, status }: OrderedCluster): readonly NodeSetLine[] {
  const wanted = spec?.node_sets ?? {};
  const has = status?.node_sets ?? {};
  const names = new Set([...Object.keys(wanted), ...Object.keys(has).filter((name) => (has[name]?.hosts.length ?? 0) > 0)]);
  return [...names].toSorted().map((name) => ({
    name,
    hostClass: wanted[name]?.host_class ?? has[name]?.host_class ?? '',
    wanted: wanted[name]?.size ?? 0,
    hosts: has[name]?.hosts ?? [],
  }));
}
