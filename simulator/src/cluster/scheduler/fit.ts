import type { Taint, Toleration } from '@quartermaster/kube/shapes';
import { matchesNodeTerms } from '../pods/label-selector.ts';
import type { WorkloadPod } from '../pods/workload-pod.ts';
import type { NodeRoom, NodeView } from './node-room.ts';

const nothing: readonly string[] = [];

/**
 * Why the pod cannot go to the node, in the words of Kubernetes; empty when it can. As there, the first rule that fails speaks alone;
 * only lacking resources are all told. Ports of the host and rules between pods are left out.
 */
export function fitFailures(pod: WorkloadPod, room: NodeRoom): readonly string[] {
  const { view } = room;
  if (view.isUnschedulable && !pod.tolerations.some((toleration) => tolerates(toleration, unschedulableTaint))) {
    return ['node(s) were unschedulable'];
  }
  if (view.taints.length > 0 && view.taints.some((taint) => isRepelling(taint) && !isTolerated(taint, pod.tolerations))) {
    return ['node(s) had untolerated taint(s)'];
  }
  if (!matchesNodeRules(pod, view)) return ["node(s) didn't match Pod's node affinity/selector"];
  return lackingResources(pod, room);
}

function lackingResources({ requests }: WorkloadPod, room: NodeRoom): readonly string[] {
  const isFull = room.pods.size >= (room.view.allocatable.get('pods') ?? 0);
  let lacking = isFull ? ['Too many pods'] : nothing;
  for (const [resource, amount] of requests) {
    if (amount > room.free(resource)) lacking = [...lacking, `Insufficient ${resource}`];
  }
  return lacking;
}

/** The node selector and the required node affinity; both have to hold. */
export function matchesNodeRules(
  { nodeSelector, affinity }: Pick<WorkloadPod, 'nodeSelector' | 'affinity'>,
  { labels, name }: NodeView,
): boolean {
  for (const [key, value] of Object.entries(nodeSelector)) {
    if (labels[key] !== value) return false;
  }
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeTerms(required.nodeSelectorTerms, labels, name);
}

const unschedulableTaint: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

const isRepelling = ({ effect }: Taint): boolean => effect === 'NoSchedule' || effect === 'NoExecute';

export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}

/** An empty key with `Exists` tolerates everything; an empty effect every effect. */
export function tolerates({ key, operator = 'Equal', value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false;
  if (key !== undefined && key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return key !== undefined && key !== '' && (value ?? '') === (taint.value ?? '');
}
