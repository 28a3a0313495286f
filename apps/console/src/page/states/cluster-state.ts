import type { ApiCondition, ApiObject } from '../api/api-object.ts';
import { stateOf } from '../api/api-words.ts';
import type { Tone } from '../model/node-state.ts';

/** What of a cluster its state is told by. */
export interface StatedCluster extends ApiObject {
  readonly status?: { readonly state: string; readonly conditions: readonly ApiCondition[] } | undefined;
}

/** The state of a cluster as a word and a colour. */
export function clusterState(cluster: StatedCluster): { readonly tone: Tone; readonly word: string } {
  if (cluster.metadata.deletion_timestamp !== undefined) return { tone: 'held', word: 'Being deleted' };
  const state = cluster.status?.state;
  if (state === undefined || state === 'CLUSTER_STATE_UNSPECIFIED') return { tone: 'unknown', word: 'Ordered' };
  const isDegraded = state === 'CLUSTER_STATE_READY' && trueCondition(cluster, 'DEGRADED') !== undefined;
  return isDegraded ? { tone: 'held', word: 'Ready, degraded' } : stateOf(state, 'CLUSTER_STATE');
}

export function trueCondition({ status }: StatedCluster, type: string): ApiCondition | undefined {
  return status?.conditions.find((each) => each.type === `CLUSTER_CONDITION_TYPE_${type}` && each.status === 'CONDITION_STATUS_TRUE');
}
