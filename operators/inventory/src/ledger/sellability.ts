import { excludingPattern, type InventoryConfig, isTolerated } from '../config/inventory-config.ts';
import type { Reason, Sellability } from '../model/node-inventory.ts';
import type { ObservedNode, ObservedTaint } from '../model/observed.ts';
import type { HealthSignals } from './health-signals.ts';

/** condition type -> what to say of a node on which it is True */
const pressures: ReadonlyMap<string, string> = new Map([
  ['MemoryPressure', 'The node is short of memory and evicts pods: free some.'],
  ['DiskPressure', 'The node is short of disk space and evicts pods: free some.'],
  ['PIDPressure', 'The node is running out of process IDs: stop some processes.'],
  ['NetworkUnavailable', 'The network of the node is not set up: look at its CNI plugin.'],
]);

/** Taints by which Kubernetes repeats what a condition or the spec says -> the code of the reason that already says it */
const echoes: ReadonlyMap<string, readonly string[]> = new Map([
  ['node.kubernetes.io/not-ready', ['NotReady', 'ReadyUnknown']],
  ['node.kubernetes.io/unreachable', ['NotReady', 'ReadyUnknown']],
  ['node.kubernetes.io/unschedulable', ['Cordoned']],
  ['node.kubernetes.io/memory-pressure', ['MemoryPressure']],
  ['node.kubernetes.io/disk-pressure', ['DiskPressure']],
  ['node.kubernetes.io/pid-pressure', ['PIDPressure']],
  ['node.kubernetes.io/network-unavailable', ['NetworkUnavailable']],
]);

/** Why new pods cannot or must not go to a node, by what the API server says of it; empty when they can. */
export function nodeReasons(node: ObservedNode, config: InventoryConfig, signals: Omit<HealthSignals, 'gpus'>): readonly Reason[] {
  const reasons: Reason[] = [];
  const pattern = excludingPattern(config, node.name);
  if (pattern !== undefined) {
    reasons.push({ code: 'Excluded', message: `The configuration excludes nodes that match ${pattern}: change exclude.nodes to sell it.` });
  }
  if (node.deleting) reasons.push({ code: 'Deleting', message: 'The node is being deleted.' });
  if (node.unschedulable)
    reasons.push({ code: 'Cordoned', message: `The node is cordoned: kubectl uncordon ${node.name} when it is fit again.` });
  reasons.push(...conditionReasons(node), ...signals.node);
  const said = new Set(reasons.map(({ code }) => code));
  for (const taint of node.taints) {
    if (!keepsPodsAway(taint) || signals.taints.has(taint.key) || isTolerated(config, taint)) continue;
    if (echoes.get(taint.key)?.some((code) => said.has(code)) === true) continue;
    const shown = `${taint.key}${taint.value === '' ? '' : `=${taint.value}`}:${taint.effect}`;
    reasons.push({
      code: 'Tainted',
      message: `Tenants' pods do not tolerate the taint ${shown}: remove it, or add it to tolerated_taints.`,
    });
  }
  return reasons;
}

export const keepsPodsAway = ({ effect }: Pick<ObservedTaint, 'effect'>): boolean => effect !== 'PreferNoSchedule';

/** A silent node is unknown, unless something else that we know for sure keeps it from being sold. */
export function sellabilityOf(reasons: readonly Reason[]): Sellability {
  if (reasons.length === 0) return { state: 'sellable', reasons };
  return { state: reasons.every(({ code }) => code === 'ReadyUnknown') ? 'unknown' : 'held-back', reasons };
}

function* conditionReasons({ conditions }: ObservedNode): Generator<Reason> {
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status === 'False') {
    yield { code: 'NotReady', message: `The kubelet reports that the node is not ready (${ready.reason}).`, since: ready.since };
  } else if (ready?.status !== 'True') {
    yield { code: 'ReadyUnknown', message: 'The kubelet has stopped reporting: check the machine and its network.', since: ready?.since };
  }
  for (const condition of conditions) {
    const message = condition.status === 'True' ? pressures.get(condition.type) : undefined;
    if (message !== undefined) yield { code: condition.type, message, since: condition.since };
  }
}
