import { type Draft, noOffer } from './draft.ts';
import type { Need } from './needs.ts';
import { type CardShelf, type Found, type NodeIndex, shelfCount, shelfOf, type Twins, tierCount } from './node-index.ts';
import type { NodeState } from './node-state.ts';
import { compareOffers } from './rank.ts';

/** A place for one replica. */
export interface Option {
  readonly node: NodeState;
  /** Which of the node's offers the cards are of. */
  readonly offer: number;
}

/** Twins that may have room for a replica, level by level: from the least waste and, among those, the least to spare. */
export class Levels {
  readonly #index: NodeIndex;
  readonly #shelves: CardShelf[] = [];
  /** Cards, or the shelf of its processors. */
  readonly #least: number;
  readonly #isOfCards: boolean;
  readonly #ends: number;
  #at: number;
  #waste = 0;
  #isOver = false;

  constructor(index: NodeIndex, need: Need) {
    this.#index = index;
    this.#isOfCards = need.gpus !== undefined;
    this.#least = need.gpus?.count ?? shelfOf(need.cpu);
    let ends = 0;
    if (need.gpus === undefined) ends = shelfCount;
    else {
      for (const shelf of index.shelves) {
        if (!need.serves(shelf.kind)) continue;
        this.#shelves.push(shelf);
        ends = Math.max(ends, shelf.broken.length, shelf.whole.length);
      }
    }
    this.#ends = ends;
    this.#at = this.#least - 1;
    this.advance();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Of the level at hand: no place on it, or on a later one, is better. */
  get waste(): number {
    return this.#waste;
  }

  get spare(): number {
    return this.#isOfCards ? this.#at - this.#least : this.#at;
  }

  /** Goes on to the next level that has any. */
  advance(): void {
    const wastes = this.#isOfCards ? 2 : tierCount;
    do {
      this.#at += 1;
      if (this.#at >= this.#ends) {
        this.#waste += 1;
        // Whole nodes that are taken as a whole are not broken into, and were on the first level.
        this.#at = this.#isOfCards ? this.#least + 1 : this.#least;
        this.#isOver = this.#waste >= wastes;
      }
    } while (!this.#isOver && (this.#at >= this.#ends || !this.visit(undefined)));
  }

  /** Tells of all twins of the level at hand. Answers whether there are any. */
  visit(visitor: ((twins: Twins) => void) | undefined): boolean {
    if (!this.#isOfCards) return tell(this.#index.cpuShelf(this.#waste, this.#at), visitor);
    let hasAny = false;
    for (const { broken, whole } of this.#shelves) {
      if (this.#waste === 0 && tell(broken[this.#at], visitor)) hasAny = true;
      if ((this.#waste === 1 || this.#at === this.#least) && tell(whole[this.#at], visitor)) hasAny = true;
    }
    return hasAny;
  }
}

function tell(found: Found | undefined, visitor: ((twins: Twins) => void) | undefined): boolean {
  if (found === undefined || found.length === 0) return false;
  if (visitor !== undefined) for (const { twins } of found) visitor(twins);
  return true;
}

/** All twins of which a replica might fit on one. */
export function twinsFor(index: NodeIndex, need: Need): Set<Twins> {
  const all = new Set<Twins>();
  for (const levels = new Levels(index, need); !levels.isOver; levels.advance()) levels.visit((twins) => all.add(twins));
  return all;
}

const noCards: readonly number[] = [noOffer];

/** The offers of a node that serve the need; the absence of one for a need without cards. */
export function servingOffers(need: Need, node: NodeState): readonly number[] {
  if (need.gpus === undefined) return noCards;
  const serving: number[] = [];
  for (const [at, { kind }] of node.offers.entries()) if (need.serves(kind)) serving.push(at);
  return serving;
}

/** The best offer of the node for one more replica; undefined where none fits. */
export function bestOffer(need: Need, draft: Draft, node: NodeState): number | undefined {
  const room = draft.roomOf(node);
  if (!draft.fits(need, node, room)) return undefined;
  if (need.gpus === undefined) return noOffer;
  const { offers } = node;
  let best: number | undefined;
  for (let at = 0; at < offers.length; at += 1) {
    const kind = offers[at]?.kind;
    if (kind === undefined || (room.cards[at] ?? 0) < need.gpus.count || !need.serves(kind)) continue;
    if (best === undefined || compareOffers(need.gpus.count, node, room, at, best) < 0) best = at;
  }
  return best;
}
