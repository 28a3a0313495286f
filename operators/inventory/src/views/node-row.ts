import type { NodeRow } from '@quartermaster/api/inventory-views';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedCondition, ObservedNode } from '../model/observed.ts';
import { nodeSale } from './node-views.ts';

/** What stands for the rack of a node, the first that it has. */
const rackLabels = ['topology.quartermaster.dev/rack', 'topology.kubernetes.io/rack', 'topology.kubernetes.io/zone'];

type ShownNode = Pick<ObservedNode, 'name' | 'labels' | 'unschedulable' | 'conditions'>;

/** A node as a table shows it: what the API server says of it, and what the inventory makes of that. */
export function nodeRow(observed: ShownNode, node: NodeInventory): NodeRow {
  const ready = observed.conditions.find(({ type }) => type === 'Ready');
  const rack = rackLabels.map((label) => observed.labels[label]).find((value) => value !== undefined && value !== '');
  const silentSince = node.stale.find(({ source }) => source === 'kubelet')?.lastContactAt;
  const sale = nodeSale(node);
  return {
    name: observed.name,
    isReady: ready?.status === 'True',
    state: stateOf(observed.unschedulable, ready),
    rack,
    cpuMillis: node.cpu.capacity,
    memoryBytes: node.memory.capacity,
    gpus: sale.models,
    pods: node.pods,
    silentSince,
    sale,
  };
}

function stateOf(isCordoned: boolean, ready: ObservedCondition | undefined): string {
  const isReady = ready?.status === 'True';
  const why = [ready?.message, ready?.reason].find((text) => text !== undefined && text !== '');
  const health = isReady ? 'Ready' : `NotReady: ${why ?? 'the node has not reported yet'}`;
  if (!isCordoned) return health;
  return isReady ? 'SchedulingDisabled' : `${health}, SchedulingDisabled`;
}
