import { celText } from '../../filter/cel-text.ts';
import type { ApiCondition, ApiObject } from '../api/api-object.ts';
import { type ClusterNodeSet, nodeSetLines } from '../states/node-sets.ts';
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
