import type { Node, NodeCondition, Taint, Toleration } from '@quartermaster/kube/shapes';
import { tolerates } from '../scheduler/fit.ts';

const unreachable = 'node.kubernetes.io/unreachable';
const notReady = 'node.kubernetes.io/not-ready';
const unschedulable = 'node.kubernetes.io/unschedulable';
const ownTaints = new Set([unreachable, notReady, unschedulable]);

/** The conditions of a node that has not been heard of: unknown, every one that the kubelet writes. Undefined when they are so already. */
export function unknownConditions(node: Node, now: string): NodeCondition[] | undefined {
  const conditions = node.status?.conditions ?? [];
  if (conditions.some(({ type }) => type === 'Ready') && conditions.every(({ status }) => status === 'Unknown')) return undefined;
  const types = new Set(['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', ...conditions.map(({ type }) => type)]);
  return [...types].map((type) => {
    const before = conditions.find((condition) => condition.type === type);
    return {
      lastHeartbeatTime: before?.lastHeartbeatTime,
      type,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: before?.status === 'Unknown' ? (before.lastTransitionTime ?? now) : now,
    };
  });
}

/** The taints that the node should have for its conditions and its spec; undefined when it has them. Taints of others stay. */
export function wantedTaints(node: Node, now: string): Taint[] | undefined {
  const before = node.spec?.taints ?? [];
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const wanted: Taint[] = [];
  const add = (key: string, effect: string): void => {
    const known = before.find((taint) => taint.key === key && taint.effect === effect);
    wanted.push(known ?? { key, effect, timeAdded: effect === 'NoExecute' ? now : undefined });
  };
  if (node.spec?.unschedulable === true) add(unschedulable, 'NoSchedule');
  if (ready !== 'True') {
    const key = ready === 'Unknown' ? unreachable : notReady;
    add(key, 'NoSchedule');
    // A node that has never been ready has nothing to drive away.
    if (ready !== undefined) add(key, 'NoExecute');
  }
  const after = [...before.filter(({ key }) => !ownTaints.has(key)), ...wanted];
  const isSame = after.length === before.length && after.every((taint) => before.includes(taint));
  return isSame ? undefined : after;
}

/**
 * How long a pod may still stay, in milliseconds: 0 or less when it has to go now, undefined when it may stay for good. Every NoExecute
 * taint must be tolerated, and the shortest toleration counts, from when its taint was set.
 */
export function staysForMs(tolerations: readonly Toleration[], taints: readonly Taint[], nowMs: number): number | undefined {
  let shortest: number | undefined;
  for (const taint of taints) {
    if (taint.effect !== 'NoExecute') continue;
    const matching = tolerations.filter((toleration) => tolerates(toleration, taint));
    if (matching.length === 0) return 0;
    const seconds = matching.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
    if (seconds.length === 0) continue;
    const sinceMs = Date.parse(taint.timeAdded ?? '');
    const leftMs = (Number.isFinite(sinceMs) ? sinceMs : nowMs) + Math.min(...seconds) * 1000 - nowMs;
    shortest = Math.min(shortest ?? leftMs, leftMs);
  }
  return shortest;
}
