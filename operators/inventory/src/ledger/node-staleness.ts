import type { StaleSource } from '../model/node-inventory.ts';
import type { AgentSilence, ObservedNode } from '../model/observed.ts';

const none: readonly StaleSource[] = [];

/**
 * What of a node alone is not confirmed now. The API server calls a node's readiness unknown once its kubelet has been silent for too long; a node
 * without that condition has never been heard of. The silence has one age, the one that the reason has, too: the heartbeat of the condition would be another,
 * since a kubelet that has nothing new to say renews its lease only. An agent whose silence is more than brief has left facts that nobody confirms.
 */
export function nodeStaleness({ conditions }: Pick<ObservedNode, 'conditions'>, silence?: AgentSilence): readonly StaleSource[] {
  const kubelet = kubeletStaleness(conditions);
  if (silence === undefined || silence.isBrief) return kubelet;
  return [...kubelet, { source: 'agent', lastContactAt: silence.lastContactAt, reason: silence.reason }];
}

function kubeletStaleness(conditions: ObservedNode['conditions']): readonly StaleSource[] {
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True' || ready?.status === 'False') return none;
  const reason = ready === undefined ? 'the kubelet has not reported yet' : 'the kubelet does not report';
  return [{ source: 'kubelet', lastContactAt: ready?.since, reason }];
}
