import type { GpuNeed, GpuWant } from './request.ts';
import type { CardGroup, CardPool } from './stock-facts.ts';

/** What is sold on a node as one: the cards of a group, or of a pool whose cards only the device plugin can tell apart. */
export interface Offer {
  readonly kind: OfferKind;
  /** All that could be sold, headroom taken off. */
  readonly size: number;
  /** As the inventory says, headroom taken off but no holds. */
  readonly free: number;
}

/** What offers of several nodes have in common: whoever is served by one is served by all, if enough is free. */
export interface OfferKind {
  readonly key: string;
  readonly resource: string;
  /** By groupKey, for the holds; undefined where the device plugin picks. */
  readonly group: string | undefined;
  /** What a card may turn out to be. */
  readonly groups: readonly CardGroup[];
  /** GiB that the largest of them has: how much it would be missed. */
  readonly value: number;
}

const gibibytes = (bytes: number): number => Math.round(bytes / 2 ** 30);

/** Made once of each group: it is asked for with every promise. */
const groupKeys = new WeakMap<CardGroup, string>();

/** Tells groups apart as orders can: firmware takes some of the memory, so that cards of 80 GiB report slightly different amounts. */
export function groupKey(group: CardGroup): string {
  let key = groupKeys.get(group);
  if (key === undefined) {
    key = `${group.vendor}/${group.model}/${group.interface}/${gibibytes(group.memoryBytes)}Gi`.toLowerCase();
    groupKeys.set(group, key);
  }
  return key;
}

/** The offers of a node, one of each kind. `headroom` cards of each are not sold. */
export function offersOf(pools: readonly CardPool[], headroom: number): readonly Offer[] {
  const offers = new Map<string, Offer>(); // key of the kind -> offer
  for (const pool of pools) {
    for (const { kind, size, free } of offersOfPool(pool)) {
      const before = offers.get(kind.key);
      offers.set(kind.key, { kind, size: size + (before?.size ?? 0), free: free + (before?.free ?? 0) });
    }
  }
  return [...offers.values()]
    .map(({ kind, size, free }) => ({ kind, size: size - headroom, free: free - headroom }))
    .toSorted((a, b) => (a.kind.key < b.kind.key ? -1 : 1));
}

function offersOfPool(pool: CardPool): readonly Offer[] {
  const { resource } = pool;
  if (pool.assignedBy === 'claim') {
    return pool.groups.map(({ size, free, ...group }) => {
      const key = groupKey(group);
      return { kind: kindOf(`${resource}=${key}`, resource, key, [group]), size, free };
    });
  }
  const byKey = new Map(pool.mayBeFree.map((group) => [groupKey(group), group]));
  const key = `${resource}~${[...byKey.keys()].toSorted().join('+')}`;
  return [{ kind: kindOf(key, resource, undefined, [...byKey.values()]), size: pool.size, free: pool.free }];
}

const kindOf = (key: string, resource: string, group: string | undefined, groups: readonly CardGroup[]): OfferKind => ({
  key,
  resource,
  group,
  groups,
  value: Math.max(0, ...groups.map(({ memoryBytes }) => gibibytes(memoryBytes))),
});

export type Service = 'served' | 'plugin-may-pick-another' | 'other-cards';

/**
 * Whether cards of this kind serve the need. Cards of one replica are of one group: a program spreads its work evenly over its cards, so that the smallest
 * would bound them all, and an order that names a memory size could get half of it. One card is always of one group.
 */
export function serviceOf({ groups }: Pick<OfferKind, 'groups'>, { count, wants }: GpuNeed): Service {
  let served = 0;
  for (const group of groups) if (wants.some((want) => satisfies(group, want))) served += 1;
  if (served === 0) return 'other-cards';
  return served === groups.length && (count === 1 || groups.length === 1) ? 'served' : 'plugin-may-pick-another';
}

/** Whether whatever serves the one serves the other, too. */
export const isWider = ({ wants }: GpuNeed, narrow: GpuNeed): boolean =>
  narrow.wants.every((each) => wants.some((want) => satisfies(each, want)));

function satisfies(cards: GpuWant, want: GpuWant): boolean {
  const { memoryBytes, interface: kind } = cards;
  return (
    sameText(cards.vendor, want.vendor) &&
    (want.model === '*' || sameText(cards.model, want.model)) &&
    (want.memoryBytes === undefined || (memoryBytes !== undefined && gibibytes(want.memoryBytes) === gibibytes(memoryBytes))) &&
    (want.interface === undefined || (kind !== undefined && bareInterface(want.interface) === bareInterface(kind)))
  );
}

const sameText = (a: string, b: string): boolean => a === b || a.toLowerCase() === b.toLowerCase();

/** SXM4 and SXM5 are sxm: orders do not know generations, models tell them. */
const bareInterface = (text: string): string => text.toLowerCase().replace(/^(sxm|pcie).*$/, '$1');
