import type { OfferKind } from './card-offer.ts';
import type { NodeState } from './node-state.ts';

/** Nodes that take new work and between which no request can tell. One of them stands for all. */
export interface Twins {
  /** By uid; never empty. */
  readonly members: NodeState[];
  /** Others in the same bucket. */
  next: Twins | undefined;
  /** Where they are found: by their processors, and by each of their offers. */
  readonly seats: Seat[];
}

/**
 * A place among those that are found together. With every promise one is left and another taken: a Set would lay its tables out anew all the time. So that nothing is
 * made anew either, twins and their seats are used again.
 */
interface Seat {
  readonly twins: Twins;
  among: Seat[] | undefined;
  at: number;
}

/** Twins that are found together, in no order. */
export type Found = readonly { readonly twins: Twins }[];

/** Twins by how many cards of a kind they have free; whole ones, of which all cards are, apart from those already broken into. */
export interface CardShelf {
  readonly kind: OfferKind;
  readonly broken: readonly Found[]; // free cards -> twins
  readonly whole: readonly Found[];
}

interface OwnShelf extends CardShelf {
  readonly broken: Seat[][];
  readonly whole: Seat[][];
}

/** How much a node would be missed by those who need cards: none there, none free, some free, a whole node. */
export const tierCount = 4;
/** Powers of two of millicores. */
export const shelfCount = 32;

/** Finds nodes by what is free on them, without looking at the others. */
export class NodeIndex {
  #buckets: (Twins | undefined)[] = emptyBuckets(64); // by the hash
  #count = 0;
  readonly #shelves = new Map<string, OwnShelf>(); // key of the kind -> shelf
  readonly #byCpu: Seat[][][] = Array.from({ length: tierCount }, () => Array.from({ length: shelfCount }, () => []));

  add(node: NodeState): void {
    if (!node.takesWork) return;
    const at = node.hash & (this.#buckets.length - 1);
    const first = this.#buckets[at];
    let twins = first;
    while (twins !== undefined && twins.members[0]?.isLike(node) === false) twins = twins.next;
    if (twins === undefined) {
      twins = node.lastTwins ?? { members: [node], next: undefined, seats: [] };
      node.lastTwins = undefined;
      twins.next = first;
      this.#buckets[at] = twins;
      this.#count += 1;
      this.#seat(node, twins);
      if (this.#count > this.#buckets.length) this.#grow();
    } else twins.members.splice(placeOf(twins.members, node.uid), 0, node);
    node.twins = twins;
  }

  /** Must be called before the node changes. */
  remove(node: NodeState): void {
    const { twins } = node;
    if (twins === undefined) return;
    node.twins = undefined;
    if (twins.members.length > 1) {
      twins.members.splice(twins.members.indexOf(node, placeOf(twins.members, node.uid)), 1);
      return;
    }
    for (const seat of twins.seats) leave(seat);
    node.lastTwins = twins;
    this.#count -= 1;
    const at = node.hash & (this.#buckets.length - 1);
    let before = this.#buckets[at];
    if (before === twins) {
      this.#buckets[at] = twins.next;
      return;
    }
    while (before !== undefined && before.next !== twins) before = before.next;
    if (before !== undefined) before.next = twins.next;
  }

  get shelves(): Iterable<CardShelf> {
    return this.#shelves.values();
  }

  /** Twins of a tier whose free processors are in the same power of two. */
  cpuShelf(tier: number, shelf: number): Found {
    return this.#byCpu[tier]?.[shelf] ?? none;
  }

  *all(): Iterable<Twins> {
    for (const first of this.#buckets) for (let twins = first; twins !== undefined; twins = twins.next) yield twins;
  }

  #grow(): void {
    const all = [...this.all()];
    this.#buckets = emptyBuckets(this.#buckets.length * 2);
    for (const twins of all) {
      const at = (twins.members[0]?.hash ?? 0) & (this.#buckets.length - 1);
      twins.next = this.#buckets[at];
      this.#buckets[at] = twins;
    }
  }

  /** Puts them wherever they are looked for. */
  #seat(node: NodeState, twins: Twins): void {
    const { room, offers } = node;
    take(twins, 0, this.#byCpu[tierOf(node, room.cards)]?.[shelfOf(room.cpu)]);
    for (let at = 0; at < offers.length; at += 1) {
      const offer = offers[at];
      const free = room.cards[at] ?? 0;
      if (offer === undefined || free <= 0) continue;
      const { broken, whole } = this.#shelfOf(offer.kind);
      const found = free >= offer.size ? whole : broken;
      for (let i = found.length; i <= free; i += 1) found.push([]);
      take(twins, at + 1, found[free]);
    }
  }

  #shelfOf(kind: OfferKind): OwnShelf {
    const known = this.#shelves.get(kind.key);
    if (known !== undefined) return known;
    const shelf = { kind, broken: [], whole: [] };
    this.#shelves.set(kind.key, shelf);
    return shelf;
  }
}

const none: Found = [];
const emptyBuckets = (count: number): (Twins | undefined)[] => Array.from({ length: count }, () => undefined);

function take(twins: Twins, number: number, among: Seat[] = []): void {
  while (twins.seats.length <= number) twins.seats.push({ twins, among: undefined, at: 0 });
  const seat = twins.seats[number] as Seat;
  seat.among = among;
  seat.at = among.length;
  among.push(seat);
}

function leave(seat: Seat): void {
  const { among, at } = seat;
  const last = among?.pop();
  seat.among = undefined;
  if (among === undefined || last === undefined || last === seat) return;
  among[at] = last;
  last.at = at;
}

export const shelfOf = (cpu: number): number => (cpu < 1 ? 0 : 31 - Math.clz32(Math.min(cpu, 2 ** 31 - 1)));

export function tierOf({ offers }: NodeState, free: readonly number[]): number {
  let tier = 0;
  for (let at = 0; at < offers.length; at += 1) {
    const [left = 0, size = 0] = [free[at], offers[at]?.size];
    if (size <= 0) continue;
    tier = Math.max(tier, left <= 0 ? 1 : left < size ? 2 : 3);
  }
  return tier;
}

function placeOf(members: readonly NodeState[], uid: string): number {
  let [low, high] = [0, members.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((members[middle]?.uid ?? '') < uid) low = middle + 1;
    else high = middle;
  }
  return low;
}
