import { type Amount, amount } from '../../model/amount.ts';
import type { DeviceHolderView, GpuGroup } from '../../model/node-inventory.ts';
import { compareNames } from '../../model/sorted-by-name.ts';
import type { Card, CardPool } from './gpu-cards.ts';

/** What is used of one pool. */
export interface PoolUse {
  /** How many the kubelet offers; not asked for pools of claimed devices. */
  readonly offered: number;
  /** Pieces that pods asked for. */
  readonly requested: number;
  /** Of those, pieces of which nobody says which card they are. */
  readonly unplaced: number;
  isFit(card: Card): boolean;
  holderOf(card: Card): DeviceHolderView | undefined;
}

interface Tally {
  readonly group: Omit<GpuGroup, 'amount'>;
  cards: number;
  /** Those that are not cut into slices. */
  whole: number;
  fit: number;
  held: number;
}

/**
 * Cards of a pool that are alike, with what can be promised of them. Where the kubelet offers fewer cards than are fit, nobody says which one it
 * holds back: each model lacks as many. Where pods hold cards of unknown model, each model counts them, up to what it has left.
 * So the sum over models may be less than what there is, and never more.
 */
export function gpuGroups(pool: CardPool, use: PoolUse): readonly GpuGroup[] {
  const tallies = [...tally(pool, use).values()];
  const fit = tallies.reduce((sum, each) => sum + each.fit, 0);
  const missing = pool.isClaimed ? 0 : Math.max(fit - use.offered, 0);
  const places = tallies.reduce((sum, each) => sum + each.whole - each.held, 0);
  const groups = tallies.map((each, i) => {
    const free = each.whole - each.held;
    // What no card can account for is somebody's mistake; it shows at the last model.
    const excess = i === tallies.length - 1 ? Math.max(use.unplaced - places, 0) : 0;
    const allocated = pool.isDivided ? 0 : each.held + (pool.isClaimed ? 0 : Math.min(use.unplaced, free) + excess);
    const allocatable = pool.isDivided ? 0 : Math.max(each.fit - missing, 0);
    return { ...each.group, amount: amount(each.cards, allocatable, allocated) };
  });
  return pool.isClaimed || pool.isDivided ? groups : withinOffer(groups, Math.max(use.offered - use.requested, 0));
}

/**
 * The scheduler gives `left` more cards away, whatever their models: a pod on a sick card takes the place of a fit one. Who gets them
 * is not known, so each model lacks as many as there are too few.
 */
function withinOffer(groups: readonly GpuGroup[], left: number): readonly GpuGroup[] {
  const short = groups.reduce((sum, group) => sum + group.amount.available, 0) - left;
  if (short <= 0) return groups;
  return groups.map((group) => {
    const { capacity, allocatable, allocated, available } = group.amount;
    return { ...group, amount: amount(capacity, allocatable - Math.min(short, available), allocated) };
  });
}

/** Pieces under the pool's name, where they are not whole cards. */
export function dividedAmount(pool: CardPool, capacity: number, use: PoolUse): Amount | undefined {
  return pool.isDivided ? amount(capacity, Math.min(use.offered, capacity), use.requested) : undefined;
}

/** vendor, model, memory, interface: the order in which groups are listed. */
export function compareGroups(a: GpuGroup, b: GpuGroup): number {
  return (
    compareNames(a.vendor, b.vendor) ||
    compareNames(a.model, b.model) ||
    a.memoryBytes - b.memoryBytes ||
    compareNames(a.interface, b.interface) ||
    compareNames(a.resource, b.resource)
  );
}

function tally(pool: CardPool, use: PoolUse): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  const of = (card: Omit<Tally['group'], 'resource'>): Tally => {
    const key = `${card.vendor}|${card.model}|${card.memoryBytes}|${card.interface}`;
    const known = tallies.get(key);
    if (known !== undefined && known.group.modelId <= card.modelId) return known;
    const { vendor, vendorId, model, modelId, interface: form, memoryBytes, architecture, computeCapability, migProfiles } = card;
    const group = {
      vendor,
      vendorId,
      model,
      modelId,
      interface: form,
      memoryBytes,
      architecture,
      computeCapability,
      migProfiles,
      resource: pool.resource,
    };
    const made = { cards: known?.cards ?? 0, whole: known?.whole ?? 0, fit: known?.fit ?? 0, held: known?.held ?? 0, group };
    tallies.set(key, made);
    return made;
  };
  for (const card of pool.cards) {
    const each = of({ ...card, modelId: card.productId });
    each.cards += 1;
    if (card.isPartitioned) continue;
    each.whole += 1;
    if (use.isFit(card)) each.fit += 1;
    if (card.isClaimed || use.holderOf(card) !== undefined) each.held += 1;
  }
  if (pool.anonymousCard !== undefined) {
    const each = of({ ...pool.anonymousCard, modelId: '' });
    each.cards += pool.anonymous;
    each.whole += pool.anonymous;
    each.fit += pool.anonymous;
  }
  return tallies;
}
