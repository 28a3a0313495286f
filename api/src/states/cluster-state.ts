import { stateOf } from './enum-word.ts';
import type { State } from './state.ts';
import { deletionState, isTrue, type StatedCondition, type StatedObject } from './stated-object.ts';

/** The state of a cluster. One that no controller has spoken of yet was ordered, and no more. */
export function clusterState(cluster: StatedObject): State {
  const state = orderState(cluster, 'CLUSTER_STATE');
  const isDegraded = state.tone === 'good' && trueCondition(cluster, 'DEGRADED') !== undefined;
  return isDegraded ? { word: `${state.word}, degraded`, tone: 'held' } : state;
}

export const hostPoolState = (pool: StatedObject): State => orderState(pool, 'HOST_POOL_STATE');

function orderState(object: StatedObject, prefix: string): State {
  const deletion = deletionState(object);
  if (deletion !== undefined) return deletion;
  const state = object.status?.state ?? '';
  return state === '' || state.endsWith('_UNSPECIFIED') ? { word: 'Ordered', tone: 'unknown' } : stateOf(state, prefix);
}

/** The condition of a cluster that holds: `trueCondition(cluster, 'READY')`. */
export function trueCondition<C extends StatedCondition>(
  { status }: { readonly status?: { readonly conditions?: readonly C[] | undefined } | undefined },
  type: string,
): C | undefined {
  return status?.conditions?.find((each) => each.type === `CLUSTER_CONDITION_TYPE_${type}` && isTrue(each));
}

/** Why a node set is not what was ordered: `workers: 2 hosts missing`. */
export const missingHosts = (nodeSet: string, count: number): string => `${nodeSet}: ${count} ${count === 1 ? 'host' : 'hosts'} missing`;
