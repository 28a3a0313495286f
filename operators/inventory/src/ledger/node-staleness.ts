import type { StaleSource } from '../model/node-inventory.ts';
import type { ObservedNode } from '../model/observed.ts';

const none: readonly StaleSource[] = [];

/**
 * What of a node alone is not confirmed now. The API server calls a node's readiness unknown once its kubelet has been silent for too long; a node
 * without that condition has never been heard of.
 */
export function nodeStaleness({ conditions }: Pick<ObservedNode, 'conditions'>): readonly StaleSource[] {
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True' || ready?.status === 'False') return none;
  const reason = ready === undefined ? 'the kubelet has not reported yet' : 'the kubelet does not report';
  return [{ source: 'kubelet', lastContactAt: ready?.lastHeardAt ?? ready?.since, reason }];
}
