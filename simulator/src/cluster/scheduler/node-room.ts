import { milliValue, parseQuantity, wholeValue } from '@quartermaster/kernel';
import type { FieldSelection } from '@quartermaster/kube';
import type { Node, Taint } from '@quartermaster/kube/shapes';
import type { Labels } from '../pods/label-selector.ts';
import type { WorkloadPod } from '../pods/workload-pod.ts';

/** What scheduling reads of a Node. */
export interface NodeView {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly isUnschedulable: boolean;
  /** resource -> amount: cpu in millicores, everything else in its own unit */
  readonly allocatable: ReadonlyMap<string, number>;
}

/** The fields that `viewNode` reads. */
export const nodeViewFields = {
  metadata: { labels: true },
  spec: { taints: true, unschedulable: true },
  status: { allocatable: true },
} as const satisfies FieldSelection<Node>;

export function viewNode(node: Node): NodeView {
  const allocatable = new Map<string, number>();
  for (const [resource, text] of Object.entries(node.status?.allocatable ?? {})) {
    const quantity = parseQuantity(text);
    allocatable.set(resource, Number(resource === 'cpu' ? milliValue(quantity) : wholeValue(quantity)));
  }
  return {
    name: node.metadata?.name ?? '',
    labels: node.metadata?.labels ?? {},
    taints: node.spec?.taints ?? [],
    isUnschedulable: node.spec?.unschedulable ?? false,
    allocatable,
  };
}

/** One node with the pods that take room on it. The sums are kept as pods come and go, so that asking is cheap. */
export class NodeRoom {
  view: NodeView;
  readonly pods = new Map<string, WorkloadPod>(); // key -> pod
  readonly #used = new Map<string, number>(); // resource -> amount

  constructor(view: NodeView) {
    this.view = view;
  }

  put(key: string, pod: WorkloadPod): void {
    this.remove(key);
    this.pods.set(key, pod);
    for (const [resource, amount] of pod.requests) this.#used.set(resource, this.used(resource) + amount);
  }

  remove(key: string): void {
    const pod = this.pods.get(key);
    if (pod === undefined) return;
    this.pods.delete(key);
    for (const [resource, amount] of pod.requests) this.#used.set(resource, this.used(resource) - amount);
  }

  used(resource: string): number {
    return this.#used.get(resource) ?? 0;
  }

  free(resource: string): number {
    return (this.view.allocatable.get(resource) ?? 0) - this.used(resource);
  }
}
