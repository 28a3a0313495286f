import { StatusError } from '@quartermaster/kernel';
import { sumOf } from '../../model/amount.ts';
import type { DeviceHolderView, GpuDevice, GpuGroup, GpuPart, NodeInventory } from '../../model/node-inventory.ts';
import type { InventorySnapshot } from '../../model/snapshot.ts';
import { quarantines } from './explain-node.ts';
import { type ExplainedReason, type Explanation, explained, type Place } from './explanation.ts';

const gib = 1024 ** 3;

/**
 * How many cards there are, which are free, and where others are held back and why. The query is the id of one card, a model, or
 * `vendor/model[/interface[/memory]]` as in the totals, in either case.
 */
export function explainGpu(snapshot: InventorySnapshot, query: string): Explanation {
  for (const node of snapshot.nodes) {
    const device = node.devices.find((each) => each.id === query || each.parts?.some((part) => part.id === query) === true);
    if (device !== undefined) return explainDevice(node, device);
  }
  const found = snapshot.nodes.flatMap((node) => {
    const groups = node.gpus.filter((group) => isAskedFor(group, query));
    return groups.length === 0 ? [] : [{ node, groups }];
  });
  if (found.length === 0) throw nothingLike(snapshot, query);
  const places = found.map(({ node, groups }): Place => {
    const amount = sumOf(groups.map((group) => group.amount));
    return { node: node.name, state: node.sellability.state, amount, reasons: node.sellability.reasons };
  });
  const sellable = sumOf(places.filter((place) => place.state === 'sellable').map((place) => place.amount));
  const all = sumOf(places.map((place) => place.amount));
  const elsewhere = all.capacity - sellable.capacity;
  const state = sellable.capacity > 0 ? 'sellable' : places.some((place) => place.state === 'held-back') ? 'held-back' : 'unknown';
  return {
    subject: `gpu ${query}`,
    state,
    summary: `${all.capacity} in total: ${sellable.available} sellable, ${sellable.allocated} allocated, ${sellable.capacity - sellable.allocatable} held back, ${elsewhere} on nodes that are held back or unknown`,
    reasons: found.flatMap(({ node }) => [
      ...nodeReasons(node),
      ...gpuConditions(node),
      ...quarantines(node).filter(({ about }) => isOf(node, about, query)),
    ]),
    figures: [
      { name: 'sellable', unit: 'devices', amount: sellable },
      { name: 'all', unit: 'devices', amount: all },
    ],
    places,
  };
}

function explainDevice(node: NodeInventory, device: GpuDevice): Explanation {
  const { holder, parts = [], state: health } = device;
  const reasons = [...nodeReasons(node), ...quarantines(node).filter(({ about }) => about.endsWith(` ${device.id}`))];
  const isCut = parts.length > 0 && holder === undefined;
  const ofCard = health === 'quarantined' || isCut ? 'held-back' : health === 'healthy' ? 'sellable' : 'unknown';
  const state = health === 'quarantined' || node.sellability.state === 'sellable' ? ofCard : node.sellability.state;
  const held = parts.length > 0 ? partsText(parts) : holder === undefined ? 'no pod is known to hold it' : `${podText(holder)} holds it`;
  const one = {
    capacity: 1,
    allocatable: health === 'quarantined' || isCut ? 0 : 1,
    allocated: holder === undefined ? 0 : 1,
    overcommitted: 0,
  };
  const amount = { ...one, available: state === 'sellable' && holder === undefined ? 1 : 0 };
  return {
    subject: `gpu ${device.id}`,
    state,
    summary: `${device.vendor} ${device.model} on ${node.name} is ${health}; ${held}`,
    reasons,
    figures: [{ name: 'this card', unit: 'devices', amount }],
    places: [{ node: node.name, state: node.sellability.state, amount, reasons: node.sellability.reasons }],
  };
}

const podText = ({ namespace, pod }: DeviceHolderView): string => `${namespace}/${pod}`;

function partsText(parts: readonly GpuPart[]): string {
  const each = parts.map(
    ({ id, profile, holder }) => `${profile || 'share'} ${id}: ${holder === undefined ? 'no holder known' : podText(holder)}`,
  );
  return `it is not sold as a whole, but in parts (${each.join(', ')})`;
}

function nodeReasons(node: NodeInventory): ExplainedReason[] {
  return node.sellability.reasons.map((reason) => explained(node.name, reason));
}

/** What is the matter with the cards of a node, although the node can be sold: fewer are offered than are there, or only parts of them. */
function gpuConditions(node: NodeInventory): ExplainedReason[] {
  return node.conditions.filter(({ code }) => code.startsWith('Gpu')).map((reason) => explained(node.name, reason));
}

function isOf(node: NodeInventory, about: string, query: string): boolean {
  const device = node.devices.find((each) => about === `${node.name} ${each.id}`);
  return device !== undefined && isAskedFor(device, query);
}

function isAskedFor(group: Pick<GpuGroup, 'vendor' | 'model' | 'interface' | 'memoryBytes'>, query: string): boolean {
  const parts = query.toLowerCase().split('/');
  if (parts.length === 1) return group.model.toLowerCase() === parts[0];
  const own = [group.vendor, group.model, group.interface, `${Math.round(group.memoryBytes / gib)}Gi`].map((part) => part.toLowerCase());
  return parts.every((part, index) => part === own[index]);
}

function nothingLike({ nodes }: InventorySnapshot, query: string): StatusError {
  const models = [...new Set(nodes.flatMap((node) => node.gpus.map((group) => `${group.vendor}/${group.model}`)))].toSorted();
  const known = models.length === 0 ? 'the cluster has no GPUs' : `there are ${models.join(', ')}`;
  return new StatusError('not_found', `gpu ${query} does not exist: ${known}`);
}
