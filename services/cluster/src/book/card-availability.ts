import { groupKey } from '../placement/card-offer.ts';
import type { CardGroup } from '../placement/stock-facts.ts';
import { addAllocatable, addRoom, noAmount, type ReservableAmount } from './reservable-amount.ts';
import type { ReservationBook } from './reservation-book.ts';

/** Cards that a reservation holds on one node. */
interface HeldCards {
  readonly phase: 'pending' | 'active';
  readonly count: number;
  /** Keys of the groups that they may be of. */
  readonly groups: readonly string[];
}

/** By group, the greatest first. */
export function cardAvailability(book: ReservationBook): readonly { readonly group: CardGroup; readonly amount: ReservableAmount }[] {
  const amounts = new Map<string, ReservableAmount>(); // key of the group -> amount
  const amountOf = (group: string): ReservableAmount => {
    const amount = amounts.get(group) ?? noAmount();
    amounts.set(group, amount);
    return amount;
  };
  const known = new Map<string, CardGroup>();
  const held = heldByNode(book, known);
  for (const { facts, allocatable, allocated } of book.nodes) {
    for (const pool of facts.cards)
      for (const group of pool.assignedBy === 'claim' ? pool.groups : pool.mayBeFree) known.set(groupKey(group), group);
    if (facts.heldBack.length > 0) continue;
    const kept = keptCards(book, facts.name, allocatable.cards);
    const rooms = new Map<string, number>();
    for (const [group, count] of allocatable.cards) {
      const taken = allocated.cards.get(group) ?? 0;
      const headroom = Math.min(kept.get(group) ?? 0, count);
      const amount = amountOf(group);
      addAllocatable(amount, count, headroom);
      amount.allocated += taken;
      rooms.set(group, count - taken - headroom);
    }
    for (const cards of held.get(facts.name) ?? []) take(cards, rooms, amountOf);
    held.delete(facts.name);
    for (const [group, room] of rooms) addRoom(amountOf(group), room);
  }
  for (const cards of [...held.values()].flat()) {
    const rooms = new Map<string, number>();
    take(cards, rooms, amountOf);
    for (const [group, room] of rooms) addRoom(amountOf(group), room);
  }
  return [...amounts]
    .map(([key, amount]) => ({ group: plain(known.get(key) ?? groupOf(key)), amount }))
    .toSorted((a, b) => b.amount.allocatable - a.amount.allocatable || (groupKey(a.group) < groupKey(b.group) ? -1 : 1));
}

/** Headroom of a node by group. It is taken off each offer once, as placement does: of cards that only the plugin tells apart, off the group that has most. */
function keptCards({ headroom, stock }: ReservationBook, node: string, cards: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const kept = new Map<string, number>();
  if (headroom.cards === undefined) return kept;
  for (const { kind } of stock.node(node)?.offers ?? []) {
    const groups = kind.group === undefined ? kind.groups.map(groupKey) : [kind.group];
    const [group = ''] = groups.toSorted((a, b) => (cards.get(b) ?? 0) - (cards.get(a) ?? 0) || (a < b ? -1 : 1));
    kept.set(group, (kept.get(group) ?? 0) + headroom.cards);
  }
  return kept;
}

function heldByNode(book: ReservationBook, known: Map<string, CardGroup>): Map<string, HeldCards[]> {
  const held = new Map<string, HeldCards[]>();
  for (const { reservation, net } of book.entries) {
    for (const { cards, node } of net.waiting.map(({ replica }) => replica)) {
      if (cards === undefined) continue;
      for (const group of cards.groups) known.set(groupKey(group), group);
      const groups = cards.group === undefined ? cards.groups.map(groupKey) : [cards.group];
      const there = held.get(node) ?? [];
      there.push({ phase: reservation.phase, count: cards.count, groups });
      held.set(node, there);
    }
  }
  for (const there of held.values()) there.sort(inTurn);
  return held;
}

/** Who can be of few groups goes first; whom the book learned of first must not matter. */
const inTurn = (a: HeldCards, b: HeldCards): number =>
  a.groups.length - b.groups.length || a.phase.localeCompare(b.phase) || b.count - a.count || (a.groups.join() < b.groups.join() ? -1 : 1);

/** Cards that may be of several groups are counted in the one that has most to spare. */
function take({ phase, count, groups }: HeldCards, rooms: Map<string, number>, amountOf: (group: string) => ReservableAmount): void {
  const [group = ''] = groups.toSorted((a, b) => (rooms.get(b) ?? 0) - (rooms.get(a) ?? 0) || (a < b ? -1 : 1));
  rooms.set(group, (rooms.get(group) ?? 0) - count);
  amountOf(group)[phase] += count;
}

const plain = ({ vendor, model, interface: bus, memoryBytes }: CardGroup): CardGroup => ({ vendor, model, interface: bus, memoryBytes });

/** Of cards that are all in use, and that nobody describes but by their key. */
function groupOf(key: string): CardGroup {
  const [vendor = '', model = '', bus = '', memory = ''] = key.split('/');
  return { vendor, model, interface: bus, memoryBytes: Number.parseInt(memory, 10) * 2 ** 30 || 0 };
}
