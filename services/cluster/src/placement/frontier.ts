import { bestOffer, Levels, type Option } from './candidates.ts';
import type { Draft } from './draft.ts';
import { Heap } from './heap.ts';
import type { Need } from './needs.ts';
import type { NodeIndex, Twins } from './node-index.ts';
import type { NodeState } from './node-state.ts';
import { blankRank, compareRanks, compareUids, type Rank, rankInto } from './rank.ts';

/** Replicas of a need that are near each other, by what they are kept apart by. */
export type Near = Map<string, number>;

export const spreadKeyOf = (node: NodeState): string => node.facts?.spreadKey ?? node.uid;

interface Place {
  readonly node: NodeState;
  readonly rank: Rank;
  offer: number;
  /** Those whom the node stands for, and its place among them; undefined once the draft has put something on it. */
  twins: Twins | undefined;
  readonly at: number;
}

/**
 * The places for replicas of one need, the best first. Of twins one is looked at, and of levels only those that may have the best place. What is taken makes
 * other places no better: replicas near them can only become more. So a place whose rank still holds when it comes up is the best.
 */
export class Frontier {
  readonly #need: Need;
  readonly #draft: Draft;
  readonly #near: Near | undefined;
  readonly #levels: Levels;
  readonly #places: Heap<Place>;
  /** On top, with a replica that neither its rank nor the draft counts yet: most requests need no other place. */
  #taken: Place | undefined;
  #known: Set<Twins> | undefined;
  #looked = 0;

  /** `near` is kept up; undefined where it does not matter. */
  constructor(index: NodeIndex, draft: Draft, need: Need, near: Near | undefined) {
    this.#need = need;
    this.#draft = draft;
    this.#near = near;
    this.#levels = new Levels(index, need);
    this.#places = new Heap((a, b) => compareRanks(a.rank, b.rank) || draft.compare(a.node, b.node) || compareUids(a.node, b.node));
    for (const node of draft.touched) this.#add(node, undefined, 0);
  }

  /** Places that were looked at. */
  get looked(): number {
    return this.#looked;
  }

  /** The best place for one replica; undefined where there is none. The draft counts it from the next call on, or from `settle`. */
  take(): Option | undefined {
    this.settle();
    const place = this.#best();
    this.#taken = place;
    if (place === undefined) return undefined;
    const { node, offer } = place;
    this.#near?.set(spreadKeyOf(node), this.#apartOf(node) + 1);
    return { node, offer };
  }

  /** Whoever goes on with the draft must call it. */
  settle(): void {
    const place = this.#taken;
    if (place === undefined) return;
    this.#taken = undefined;
    this.#draft.take(this.#need, place.node, place.offer, 1);
    const { twins } = place;
    place.twins = undefined;
    const next = bestOffer(this.#need, this.#draft, place.node);
    if (next === undefined) this.#places.dropTop();
    else {
      place.offer = next;
      this.#rank(place);
      this.#places.sinkTop();
    }
    if (twins !== undefined) this.#addFrom(twins, place.at + 1);
  }

  #best(): Place | undefined {
    for (;;) {
      while (this.#mayHaveBetter()) {
        this.#levels.visit(this.#meet);
        this.#levels.advance();
      }
      const best = this.#places.top;
      if (best === undefined || best.rank.apart === this.#apartOf(best.node)) return best;
      best.rank.apart = this.#apartOf(best.node);
      this.#places.sinkTop();
    }
  }

  /** Whether the next level may have a better place than the best one so far. */
  #mayHaveBetter(): boolean {
    const levels = this.#levels;
    if (levels.isOver) return false;
    const rank = this.#places.top?.rank;
    return rank === undefined || (rank.waste - levels.waste || rank.apart || rank.spare - levels.spare) >= 0;
  }

  readonly #meet = (twins: Twins): void => {
    if (!this.#isKnown(twins)) this.#addFrom(twins, 0);
  };

  /** Nodes with several offers are on several levels. */
  #isKnown(twins: Twins): boolean {
    if ((twins.members[0]?.offers.length ?? 0) <= 1) return false;
    this.#known ??= new Set();
    const isKnown = this.#known.has(twins);
    this.#known.add(twins);
    return isKnown;
  }

  #addFrom(twins: Twins, from: number): void {
    const { members } = twins;
    let at = from;
    while (at < members.length && this.#draft.has(members[at] as NodeState)) at += 1;
    const node = members[at];
    if (node !== undefined) this.#add(node, twins, at);
  }

  #add(node: NodeState, twins: Twins | undefined, at: number): void {
    this.#looked += 1;
    const offer = bestOffer(this.#need, this.#draft, node);
    if (offer === undefined) return;
    const place: Place = { node, rank: blankRank(), offer, twins, at };
    this.#rank(place);
    this.#places.push(place);
  }

  #rank({ rank, node, offer }: Place): void {
    rankInto(rank, this.#need, node, this.#draft.roomOf(node), offer, this.#apartOf(node));
  }

  #apartOf(node: NodeState): number {
    return this.#near === undefined || this.#near.size === 0 ? 0 : (this.#near.get(spreadKeyOf(node)) ?? 0);
  }
}
