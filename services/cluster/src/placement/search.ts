import { type Bundle, bundlesOn, compareBundles, sizeOf } from './bundles.ts';
import { bestOffer, type Option, twinsFor } from './candidates.ts';
import { Draft } from './draft.ts';
import { type PlacedNeed, placesPerStep } from './greedy.ts';
import { type JointNeed, jointNeeds } from './joint-need.ts';
import type { Need, Needs } from './needs.ts';
import type { NodeIndex, Twins } from './node-index.ts';
import type { NodeState } from './node-state.ts';
import { blankRank, compareRanks, compareUids, type Rank, rankInto } from './rank.ts';
import type { StepBudget } from './step-budget.ts';
import type { Stock } from './stock.ts';

/** A node on which replicas of the need at hand could go. */
interface Site {
  readonly node: NodeState;
  /** Sites with the same text stand for each other. */
  readonly text: string;
  readonly capacity: number;
  readonly rank: Rank;
}

interface Bound extends JointNeed {
  /** How many of the least would fit if nothing else came. */
  readonly room: number;
}

/**
 * Looks at every placement until one holds: need by need, and for each need how many of its replicas go to which site. Placements that differ only in which of
 * two equal nodes, or of two equal replicas, is which are looked at once: sites are filled in a fixed order, of equal ones the first the most; and what was
 * left over once without success is remembered. So `undefined` means that there is none.
 */
export class PlacementSearch {
  readonly #draft: Draft;
  /** Nothing is ever put on it. */
  readonly #blank: Draft;
  readonly needs: readonly Need[];
  readonly #index: NodeIndex;
  readonly #budget: StepBudget;
  readonly #twins: ReadonlyMap<Need, ReadonlySet<Twins>>;
  /** Of each need alone; then of several together. */
  readonly #bounds: Bound[];
  readonly #failed = new Set<string>();
  readonly #placed: PlacedNeed[] = []; // by needs

  constructor({ index, storage }: Stock, all: Needs, budget: StepBudget) {
    const { needs } = all;
    this.#draft = new Draft(storage, all);
    this.#blank = new Draft(storage, all);
    this.needs = needs;
    this.#index = index;
    this.#budget = budget;
    this.#twins = new Map(needs.map((need) => [need, twinsFor(index, need)]));
    this.#bounds = needs.map((need) => ({ least: need, weights: needs.map((each) => (each === need ? 1 : 0)), room: this.#roomFor(need) }));
  }

  /** The needs that would not even fit alone. */
  get hopeless(): readonly { readonly need: Need; readonly room: number }[] {
    return this.#bounds.flatMap(({ room }, at) => {
      const need = this.needs[at];
      return need !== undefined && room < need.count ? [{ need, room }] : [];
    });
  }

  /** With the draft that has it. */
  run(): { readonly draft: Draft; readonly placed: readonly PlacedNeed[] } | undefined {
    if (this.hopeless.length > 0) return undefined;
    for (const joint of jointNeeds(this.needs, this.#index.shelves)) this.#bounds.push({ ...joint, room: this.#roomFor(joint.least) });
    return this.#placeFrom(0) ? { draft: this.#draft, placed: this.#placed } : undefined;
  }

  /** Pod slots of the nodes that have room for a replica of one of these needs. */
  podSlotsFor(needs: readonly Need[]): number {
    const found = new Map<Twins, NodeState>();
    for (const need of needs) {
      for (const twins of this.#twins.get(need) ?? []) {
        const [sample] = twins.members;
        if (sample !== undefined && this.#blank.capacity(need, sample) > 0) found.set(twins, sample);
      }
    }
    let slots = 0;
    for (const [{ members }, { room }] of found) slots += room.pods * members.length;
    return slots;
  }

  #placeFrom(at: number): boolean {
    const need = this.needs[at];
    if (need === undefined) return true;
    const state = `${at}:${this.#draft.text()}`;
    if (this.#failed.has(state) || !this.#mayFit(at)) return false;
    const options: Option[] = [];
    this.#placed[at] = { need, options };
    const sites = this.#sitesFor(need);
    const roomFrom = sites.map(({ capacity }) => capacity); // index -> what this site and all after it could take
    for (let i = sites.length - 2; i >= 0; i -= 1) roomFrom[i] = (roomFrom[i] ?? 0) + (roomFrom[i + 1] ?? 0);
    if (this.#fill(at, { need, options }, sites, roomFrom, 0, need.count, undefined)) return true;
    this.#failed.add(state);
    return false;
  }

  /** Puts the remaining replicas on sites from the given one on. `last` is what went to the site before it. */
  #fill(
    at: number,
    placed: PlacedNeed,
    sites: readonly Site[],
    roomFrom: readonly number[],
    from: number,
    left: number,
    last: Bundle | undefined,
  ): boolean {
    if (left === 0) return this.#placeFrom(at + 1);
    let before = last;
    for (let i = from; i < sites.length; i += 1) {
      const site = sites[i];
      if (site === undefined || (roomFrom[i] ?? 0) < left) return false;
      this.#budget.spend(1);
      const isTwin = sites[i - 1]?.text === site.text;
      const bundles = isTwin && before === undefined ? [] : bundlesOn(placed.need, site.node, this.#draft, left);
      for (const bundle of bundles) {
        if (isTwin && before !== undefined && compareBundles(bundle, before) > 0) continue;
        const goOn = () => this.#fill(at, placed, sites, roomFrom, i + 1, left - sizeOf(bundle), bundle);
        if (this.#tryBundle(placed, site.node, bundle, goOn)) return true;
      }
      before = undefined;
    }
    return false;
  }

  #tryBundle({ need, options }: PlacedNeed, node: NodeState, bundle: Bundle, goOn: () => boolean): boolean {
    this.#budget.spend(1);
    const length = options.length;
    for (const { offer, count } of bundle) {
      this.#draft.take(need, node, offer, count);
      for (let i = 0; i < count; i += 1) options.push({ node, offer });
    }
    if (goOn()) return true;
    options.length = length;
    for (const { offer, count } of bundle) this.#draft.take(need, node, offer, -count);
    return false;
  }

  /** Whether all bounds leave room for the needs from here on. */
  #mayFit(at: number): boolean {
    const touched = [...this.#draft.touched];
    return this.#bounds.every(({ least, weights, room }) => {
      let asked = 0;
      for (let i = at; i < weights.length; i += 1) asked += (weights[i] ?? 0) * (this.needs[i]?.count ?? 0);
      if (asked === 0) return true;
      this.#budget.spend(touched.length);
      let left = room;
      for (const node of touched) left -= this.#blank.capacity(least, node) - this.#draft.capacity(least, node);
      return left >= asked;
    });
  }

  #roomFor(need: Need): number {
    const twins = this.#twins.get(need) ?? twinsFor(this.#index, need);
    this.#budget.note(twins.size / placesPerStep);
    let room = 0;
    for (const { members } of twins) {
      const [sample] = members;
      if (sample !== undefined) room += this.#blank.capacity(need, sample) * members.length;
    }
    return room;
  }

  #sitesFor(need: Need): readonly Site[] {
    const sites: Site[] = [];
    const consider = (node: NodeState): boolean => {
      const offer = bestOffer(need, this.#draft, node);
      if (offer === undefined) return false;
      const rank = blankRank();
      rankInto(rank, need, node, this.#draft.roomOf(node), offer, 0);
      sites.push({ node, text: this.#draft.textOf(node), capacity: capacityOf(need, node, this.#draft), rank });
      return true;
    };
    for (const node of this.#draft.touched) consider(node);
    for (const { members } of this.#twins.get(need) ?? []) {
      let used = 0;
      for (const node of members) {
        if (used === need.count) break;
        if (this.#draft.has(node)) continue;
        if (!consider(node)) break;
        used += 1;
      }
    }
    this.#budget.spend(sites.length);
    return sites.sort(compareSites);
  }
}

/** Best places first, equal ones side by side. */
function compareSites(a: Site, b: Site): number {
  return compareRanks(a.rank, b.rank) || (a.text === b.text ? compareUids(a.node, b.node) : a.text < b.text ? -1 : 1);
}

/** No site is asked for more than all. */
const capacityOf = (need: Need, node: NodeState, draft: Draft): number => Math.min(draft.capacity(need, node), need.count);
