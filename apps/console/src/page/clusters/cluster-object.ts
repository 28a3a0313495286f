import type { ApiCondition, ApiObject } from '../api/api-object.ts';
import { celText } from '../api/object-kind.ts';
import type { ParameterValue } from './parameter-value.ts';

/** A cluster by the names of the contract. What the public API does not have is optional. */
export interface ClusterObject extends ApiObject {
  readonly spec?: ClusterSpec | undefined;
  readonly status?: ClusterStatus | undefined;
}

export interface ClusterSpec {
  readonly template: string;
  // parameter of the template -> value
  readonly template_parameters: Readonly<Record<string, ParameterValue>>;
  // name -> node set
  readonly node_sets: Readonly<Record<string, ClusterNodeSet>>;
}

export interface ClusterStatus {
  readonly state: string;
  readonly conditions: readonly ApiCondition[];
  readonly api_url: string;
  readonly console_url: string;
  readonly node_sets: Readonly<Record<string, ClusterNodeSet>>;
  readonly hub?: string | undefined;
  readonly alias?: string | undefined;
  readonly port?: number | undefined;
}

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

/** Every node set that was ordered or still has hosts, by name. */
export function nodeSetLines({ spec, status }: ClusterObject): readonly NodeSetLine[] {
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

/** How many hosts a cluster shall have, and how many of them it has. */
export function hostCounts(cluster: ClusterObject): { readonly wanted: number; readonly assigned: number } {
  const lines = nodeSetLines(cluster);
  return {
    wanted: lines.reduce((sum, line) => sum + line.wanted, 0),
    assigned: lines.reduce((sum, line) => sum + line.hosts.length, 0),
  };
}

/** The hosts of a cluster, as a filter of the API. */
export const ofCluster = ({ id }: ClusterObject): string => `this.status.cluster == ${celText(id)}`;
