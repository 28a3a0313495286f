import type { Amount } from '../model/amount.ts';
import type { GpuGroup, NodeInventory, Reason } from '../model/node-inventory.ts';
import { expectedGpuResources } from './feature-labels.ts';
import type { CardPool } from './gpu-cards.ts';
import type { NodeEntry } from './node-entry.ts';

const none: readonly Reason[] = [];

/** More CPU, memory or disk is promised than there is: nobody knows what a further pod would meet, so these keep the node from being sold. */
export function holdingConditions({
  cpu,
  memory,
  ephemeralStorage,
}: Pick<NodeInventory, 'cpu' | 'memory' | 'ephemeralStorage'>): readonly Reason[] {
  if (cpu.overcommitted === 0 && memory.overcommitted === 0 && ephemeralStorage.overcommitted === 0) return none;
  return [...overAllocated('cpu', cpu), ...overAllocated('memory', memory), ...overAllocated('ephemeral-storage', ephemeralStorage)];
}

/** The other named states of a node. Too few cards or other devices hold back only themselves: none of them is available. */
export function steadyConditions(entry: NodeEntry, extended: NodeInventory['extended'], gpus: readonly GpuGroup[]): readonly Reason[] {
  const conditions: Reason[] = [];
  for (const [resource, each] of extended) conditions.push(...overAllocated(resource, each));
  for (const { resource, model, amount } of gpus) conditions.push(...overAllocated(`${resource} (${model})`, amount));
  for (const pool of entry.pools) conditions.push(...poolConditions(entry, pool));
  conditions.push(...pluginConditions(entry));
  for (const problem of entry.resources.problems) {
    conditions.push({ code: 'QuantityUnreadable', message: `The kubelet reports ${problem}; it counts as none.` });
  }
  return conditions;
}

function overAllocated(resource: string, { allocatable, allocated, overcommitted }: Amount): readonly Reason[] {
  if (overcommitted === 0) return none;
  return [
    {
      code: 'OverAllocated',
      message: `${resource}: ${allocated} is allocated of ${allocatable}, ${overcommitted} too much: move pods away or look for what was lost.`,
    },
  ];
}

/** Cards that only Node Feature Discovery speaks of: neither a device plugin nor an agent of ours does. */
function pluginConditions({ observed, facts, resources, devices }: NodeEntry): readonly Reason[] {
  if (observed === undefined || facts !== undefined || devices.length > 0) return [];
  return expectedGpuResources(observed.labels)
    .filter((resource) => !resources.extended.has(resource))
    .map((resource) => ({
      code: 'GpuWithoutPlugin',
      message: `Node Feature Discovery sees cards on the bus, but nothing offers ${resource}: install the vendor's device plugin, or look why it does not run here.`,
    }));
}

function poolConditions(entry: NodeEntry, pool: CardPool): readonly Reason[] {
  const { resource } = pool;
  if (pool.isClaimed || resource === '') return [];
  if (pool.isDivided) {
    return [{ code: 'GpuDivided', message: `${resource} stands for parts of cards on this node: no whole card is sold from it.` }];
  }
  const whole = pool.cards.filter(({ isPartitioned }) => !isPartitioned);
  const fit = whole.filter((card) => entry.health.isFit(card)).length + pool.anonymous;
  const capacity = entry.resources.extended.get(resource)?.capacity ?? 0;
  const offered = entry.health.offered(resource);
  const conditions: Reason[] = [];
  if (fit > offered) {
    const message = `${fit} cards are fit, the kubelet offers ${offered} by ${resource}: look at the device plugin and at the health of the cards.`;
    conditions.push({ code: 'GpuNotOffered', message });
  }
  if (pool.anonymous === 0 && capacity > whole.length) {
    const message = `The kubelet counts ${capacity} by ${resource}, the discovery agent found ${whole.length} cards: only those are sold.`;
    conditions.push({ code: 'GpuCountDiffers', message });
  }
  return conditions;
}
