import type { ConsoleNode } from '@quartermaster/console';
import { bytes, millicores } from '@quartermaster/kernel';
import type { Selected } from '@quartermaster/kube';
import type { Node } from '@quartermaster/kube/shapes';

/** What is read of a node; the rest of it, most of its size, is not even parsed. */
export const nodeFields = {
  metadata: { labels: true },
  spec: { unschedulable: true },
  status: { capacity: true, conditions: { type: true, status: true, reason: true, message: true } },
} as const;

type ReadNode = Selected<Node, typeof nodeFields & { metadata: { name: true } }>;

/** A node as the console shows it, without what is known from its pods and its lease. */
export type NodeFacts = Omit<ConsoleNode, 'pods' | 'heartbeatAt'>;

const gpuResource = /^([a-z0-9-]+)\.com\/gpu$/;
/** What stands for the rack of a node, the first that it has. */
const rackLabels = ['topology.quartermaster.dev/rack', 'topology.kubernetes.io/rack', 'topology.kubernetes.io/zone'];

export function nodeFacts(node: ReadNode): NodeFacts {
  const labels = node.metadata?.labels ?? {};
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  const rack = rackLabels.map((label) => labels[label]).find((value) => value !== undefined && value !== '');
  const capacity = node.status?.capacity ?? {};
  return {
    name: node.metadata?.name ?? '',
    isReady,
    state: stateOf(node, ready, isReady),
    rack,
    cpuMillis: amountOf(capacity['cpu'], millicores),
    memoryBytes: amountOf(capacity['memory'], bytes),
    gpus: gpusOf(capacity, labels),
  };
}

function stateOf(
  node: ReadNode,
  ready: { readonly reason?: string | undefined; readonly message?: string | undefined } | undefined,
  isReady: boolean,
): string {
  const why = [ready?.message, ready?.reason].find((text) => text !== undefined && text !== '');
  const health = isReady ? 'Ready' : `NotReady: ${why ?? 'the node has not reported yet'}`;
  if (node.spec?.unschedulable !== true) return health;
  return isReady ? 'SchedulingDisabled' : `${health}, SchedulingDisabled`;
}

/** GPUs by the product that the vendor's discovery labels a node with; by the vendor where nobody did. */
function gpusOf(capacity: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): Record<string, number> {
  const gpus: Record<string, number> = {};
  for (const [resource, amount] of Object.entries(capacity)) {
    const vendor = gpuResource.exec(resource)?.[1];
    const count = Number(amount);
    if (vendor === undefined || !(count > 0)) continue;
    const model = labels[`${resource}.product`] ?? vendor;
    gpus[model] = (gpus[model] ?? 0) + count;
  }
  return gpus;
}

/** What a node says in a form that no API server accepts is as good as nothing said. */
function amountOf(text: string | undefined, parse: (text: string) => number): number {
  if (text === undefined) return 0;
  try {
    return parse(text);
  } catch {
    return 0;
  }
}
