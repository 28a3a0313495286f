import type { Amount } from '../model/amount.ts';
import type { GpuGroup, Reason } from '../model/node-inventory.ts';
import { expectedGpuResources } from './feature-labels.ts';
import type { CardPool } from './gpu-cards.ts';
import type { NodeEntry } from './node-entry.ts';

export interface CountedAmounts {
  readonly cpu: Amount;
  readonly memory: Amount;
  readonly ephemeralStorage: Amount;
  readonly extended: ReadonlyMap<string, Amount>;
}

/**
 * The named states of a node. Those in `holding` also keep it from being sold: more CPU, memory or disk is promised than there is, so nobody
 * knows what a further pod would meet. Too few cards or other devices hold back only themselves: none of them is available.
 */
export function nodeConditions(
  entry: NodeEntry,
  amounts: CountedAmounts,
  gpus: readonly GpuGroup[],
): { readonly conditions: readonly Reason[]; readonly holding: readonly Reason[] } {
  const holding = [
    ...overAllocated('cpu', amounts.cpu),
    ...overAllocated('memory', amounts.memory),
    ...overAllocated('ephemeral-storage', amounts.ephemeralStorage),
  ];
  const others: Reason[] = [];
  for (const [resource, each] of amounts.extended) others.push(...overAllocated(resource, each));
  for (const { resource, model, amount } of gpus) others.push(...overAllocated(`${resource} (${model})`, amount));
  for (const pool of entry.pools) others.push(...poolConditions(entry, pool));
  others.push(...pluginConditions(entry));
  for (const problem of entry.resources.problems) {
    others.push({ code: 'QuantityUnreadable', message: `The kubelet reports ${problem}; it counts as none.` });
  }
  return { conditions: [...holding, ...others], holding };
}

function overAllocated(resource: string, { allocatable, allocated, overcommitted }: Amount): readonly Reason[] {
  if (overcommitted === 0) return [];
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
