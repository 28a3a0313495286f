import type { Need } from '@quartermaster/api/inventory-views';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import type { DividedAmount } from './division.ts';
import { nodeDivision } from './node-division.ts';
import { reasonView } from './node-views.ts';

/** Somebody decided that these classes are not offered. */
const wanted = new Set(['ClassNotListed', 'ClassOptedOut']);

const holdsOfCards = new Set(['GpuHealthSignal', 'GpuReportUnread']);

/** Everything that keeps capacity from being sold until somebody looks at it, by how much that is: GPUs, then cores, then bytes. Pure. */
export function needsOf(nodes: Iterable<NodeInventory>, storage: readonly StorageInventory[]): readonly Need[] {
  const needs: Need[] = [];
  for (const node of nodes) needs.push(...nodeNeeds(node));
  for (const each of storage) needs.push(...classNeeds(each));
  return needs.toSorted((a, b) => b.gpus - a.gpus || b.cpuMillis - a.cpuMillis || b.bytes - a.bytes || (a.id < b.id ? -1 : 1));
}

function nodeNeeds(node: NodeInventory): readonly Need[] {
  const { state, reasons } = node.sellability;
  const [first, ...more] = reasons;
  const { gpu, cpu, disk } = nodeDivision(node);
  const gpus = gpu === undefined ? 0 : withheldOf(gpu);
  const id = node.name;
  if (state !== 'sellable' && first !== undefined) {
    return [{ kind: 'node', id, state, reason: reasonView(first), more: more.length, gpus, cpuMillis: withheldOf(cpu), bytes: 0 }];
  }
  return [...cardNeeds(node, gpus), ...diskNeeds(node, withheldOf(disk))];
}

function diskNeeds(node: NodeInventory, bytes: number): readonly Need[] {
  const why = node.conditions.find(({ code }) => code === 'VolumesUnread');
  if (why === undefined) return [];
  return [{ kind: 'node', id: node.name, state: 'unknown', reason: reasonView(why), more: 0, gpus: 0, cpuMillis: 0, bytes }];
}

function cardNeeds(node: NodeInventory, gpus: number): readonly Need[] {
  const [hold, ...further] = node.conditions.filter(({ code }) => holdsOfCards.has(code));
  // Where nobody tells cards apart, it is the node that somebody has to look at.
  if (hold !== undefined && node.devices.length === 0) {
    return [
      { kind: 'node', id: node.name, state: 'held-back', reason: reasonView(hold), more: further.length, gpus, cpuMillis: 0, bytes: 0 },
    ];
  }
  return node.devices.flatMap((device): Need[] => {
    if (device.state !== 'quarantined') return [];
    const reason = reasonView(device.reason ?? { code: 'Quarantined', message: 'The card is not healthy: look at its driver.' });
    return [{ kind: 'gpu', id: device.id, node: node.name, state: 'held-back', reason, more: 0, gpus: 1, cpuMillis: 0, bytes: 0 }];
  });
}

const withheldOf = ({ division }: DividedAmount): number => division.heldBack + division.unknown;

function classNeeds({ class: id, refusal, amount }: StorageInventory): readonly Need[] {
  if (refusal === undefined || wanted.has(refusal.code)) return [];
  const state = amount === undefined ? 'unknown' : 'held-back';
  return [{ kind: 'class', id, state, reason: reasonView(refusal), more: 0, gpus: 0, cpuMillis: 0, bytes: amount?.available ?? 0 }];
}
