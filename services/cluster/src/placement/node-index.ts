import type { OfferKind } from './card-offer.ts';
import type { NodeState } from './node-state.ts';

/** Nodes that take new work and between which no request can tell. One of them stands for all. */
export interface Twins {
  /** By uid; never empty. */
  readonly members: NodeState[];
  /** Others that happen to have the same hash. */
  next: Twins | undefined;
}

/** Twins by how many cards of a kind they have free; whole ones, of which all cards are, apart from those already broken into. */
export interface CardShelf {
  readonly kind: OfferKind;
  readonly broken: Set<Twins>[]; // free cards -> twins
  readonly whole: Set<Twins>[];
}

/** How much a node would be missed by those who need cards: none there, none free, some free, a whole node. */
export const tierCount = 4;
/** Powers of two of millicores. */
export const shelfCount = 32;

/** Finds nodes by what is free on them, without looking at the others. */
export class NodeIndex {
  readonly #twins = new Map<number, Twins>(); // hash -> twins
  readonly #shelves = new Map<string, CardShelf>(); // key of the kind -> shelf
  readonly #byCpu: Set<Twins>[][] = Array.from({ length: tierCount }, () => Array.from({ length: shelfCount }, () => new Set()));

  add(node: NodeState): void {
    if (!node.takesWork) return;
    const first = this.#twins.get(node.hash);
    let twins = first;
    while (twins !== undefined && twins.members[0]?.isLike(node) === false) twins = twins.next;
    if (twins === undefined) {
      twins = { members: [node], next: first };
      this.#twins.set(node.hash, twins);
      this.#shelve(node, twins, true);
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
    this.#shelve(node, twins, false);
    let before = this.#twins.get(node.hash);
    if (before === twins) {
      if (twins.next === undefined) this.#twins.delete(node.hash);
      else this.#twins.set(node.hash, twins.next);
      return;
    }
    while (before !== undefined && before.next !== twins) before = before.next;
    if (before !== undefined) before.next = twins.next;
  }

  get shelves(): Iterable<CardShelf> {
    return this.#shelves.values();
  }

  /** Twins of a tier whose free processors are in the same power of two. */
  cpuShelf(tier: number, shelf: number): ReadonlySet<Twins> {
    return this.#byCpu[tier]?.[shelf] ?? none;
  }

  *all(): Iterable<Twins> {
    for (const first of this.#twins.values())
      for (let twins: Twins | undefined = first; twins !== undefined; twins = twins.next) yield twins;
  }

  /** Puts them in, or takes them out of, every set in which they are looked for. */
  #shelve(node: NodeState, twins: Twins, isIn: boolean): void {
    const { room, offers } = node;
    const byCpu = this.#byCpu[tierOf(node, room.cards)]?.[shelfOf(room.cpu)];
    if (isIn) byCpu?.add(twins);
    else byCpu?.delete(twins);
    for (let at = 0; at < offers.length; at += 1) {
      const [offer, free = 0] = [offers[at], room.cards[at]];
      if (offer === undefined || free <= 0) continue;
      const { broken, whole } = this.#shelfOf(offer.kind);
      const sets = free >= offer.size ? whole : broken;
      for (let i = sets.length; i <= free; i += 1) sets.push(new Set());
      if (isIn) sets[free]?.add(twins);
      else sets[free]?.delete(twins);
    }
  }

  #shelfOf(kind: OfferKind): CardShelf {
    const known = this.#shelves.get(kind.key);
    if (known !== undefined) return known;
    const shelf = { kind, broken: [], whole: [] };
    this.#shelves.set(kind.key, shelf);
    return shelf;
  }
}

const none: ReadonlySet<Twins> = new Set();

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
