import type { Amount } from '../model/amount.ts';
import type { GpuGroup, NodeInventory, Reason } from '../model/node-inventory.ts';
import { unitOf } from './amounts/node-resources.ts';
import type { CardPool } from './cards/gpu-cards.ts';
import type { PoolUse } from './cards/gpu-groups.ts';
import { foreignFacts } from './facts-of-node.ts';
import { expectedGpuResources } from './feature-labels.ts';
import type { NodeEntry } from './node-entry.ts';

const none: readonly Reason[] = [];

const volumesUnread: Reason = {
  code: 'VolumesUnread',
  message:
    'Volumes that may lie in its ephemeral storage could not be read, and nobody can tell what is left of that: look at what is stale or left out.',
};

/**
 * What keeps the node from being sold because of the pods on it. More CPU, memory or disk is promised than there is: nobody knows what a further
 * pod would meet. Or there are as many pods as its kubelet runs: a further one would not be placed there, whatever is left.
 */
export function holdingConditions(
  { cpu, memory, ephemeralStorage }: Pick<NodeInventory, 'cpu' | 'memory' | 'ephemeralStorage'>,
  pods: number,
  podLimit: number | undefined,
): readonly Reason[] {
  const isFull = podLimit !== undefined && pods >= podLimit;
  if (!isFull && cpu.overcommitted === 0 && memory.overcommitted === 0 && ephemeralStorage.overcommitted === 0) return none;
  return [
    ...overAllocated('cpu', cpu, 'millicores'),
    ...overAllocated('memory', memory, 'bytes'),
    ...overAllocated('ephemeral-storage', ephemeralStorage, 'bytes'),
    ...(isFull ? [podsFull(pods, podLimit)] : none),
  ];
}

/** The other named states of a node. Too few cards or other devices hold back only themselves: none of them is available. */
export function steadyConditions(
  entry: NodeEntry,
  extended: NodeInventory['extended'],
  gpus: readonly GpuGroup[],
  uses: readonly PoolUse[],
): readonly Reason[] {
  const conditions: Reason[] = [];
  for (const [resource, each] of extended) conditions.push(...overAllocated(resource, each, unitOf(resource)));
  for (const { resource, model, amount } of gpus) conditions.push(...overAllocated(`${resource} (${model})`, amount, 'cards'));
  for (const [i, pool] of entry.pools.entries()) conditions.push(...poolConditions(entry, pool, uses[i]));
  if (entry.pools.length > 0) conditions.push(...entry.holds.map(({ reason }) => reason));
  conditions.push(...pluginConditions(entry), ...identityConditions(entry));
  if (entry.volumeBytes === undefined) conditions.push(volumesUnread);
  for (const problem of entry.resources.problems) {
    conditions.push({ code: 'QuantityUnreadable', message: `The kubelet reports ${problem}; it counts as zero.` });
  }
  return conditions;
}

function overAllocated(resource: string, { allocatable, allocated, overcommitted }: Amount, unit: string): readonly Reason[] {
  if (overcommitted === 0) return none;
  return [
    {
      code: 'OverAllocated',
      message: `${resource}: ${allocated} ${unit} are allocated of ${allocatable}, ${overcommitted} too many: move pods away or look for what was lost.`,
    },
  ];
}

function podsFull(pods: number, limit: number): Reason {
  const message = `${pods} pods are on the node, whose kubelet runs ${limit}: move some away, or raise maxPods of the kubelet.`;
  return { code: 'PodsFull', message };
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

/** What is reported under the name of the node, of another machine. */
function identityConditions({ observed, facts, reported }: NodeEntry): readonly Reason[] {
  return observed === undefined || reported === undefined || facts !== undefined ? none : [foreignFacts(reported.facts, observed)];
}

function poolConditions(entry: NodeEntry, pool: CardPool, use: PoolUse | undefined): readonly Reason[] {
  const { resource } = pool;
  if (pool.isClaimed || resource === '') return [];
  const whole = pool.cards.filter(({ isPartitioned }) => !isPartitioned);
  const capacity = entry.resources.extended.get(resource)?.capacity ?? 0;
  if (pool.isDivided) {
    const counts = whole.length === 0 ? '' : ` (the kubelet counts ${capacity}, the discovery agent found ${whole.length} cards)`;
    return [{ code: 'GpuDivided', message: `${resource} stands for parts of cards on this node${counts}: no whole card is sold from it.` }];
  }
  const fit = whole.filter((card) => entry.health.isFit(card)).length + pool.anonymous;
  const offered = entry.health.offered(resource);
  const conditions: Reason[] = [];
  if (fit > offered && entry.gpusHeld === undefined) {
    const message = `${fit} cards are fit, the kubelet offers ${offered} by ${resource}: look at the device plugin and at the health of the cards.`;
    conditions.push({ code: 'GpuNotOffered', message });
  }
  if (pool.anonymous === 0 && capacity > whole.length) {
    const message = `The kubelet counts ${capacity} by ${resource}, the discovery agent found ${whole.length} cards: only those are sold.`;
    conditions.push({ code: 'GpuCountDiffers', message });
  }
  const lost = whole.filter((card) => !entry.health.isFit(card) && use?.holderOf(card) !== undefined);
  if (lost.length > 0) {
    const cards = lost.map(({ id }) => id).join(', ');
    const message = `Pods hold unhealthy cards (${cards}), which the scheduler counts in place of healthy ones: move these pods away.`;
    conditions.push({ code: 'GpuHeldSick', message });
  }
  return conditions;
}
