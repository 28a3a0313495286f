import type { Need } from './needs.ts';
import type { CardShelf } from './node-index.ts';

/** What replicas of several needs have in common: each takes at least so much, so that no node holds more of them than it could hold of the least. */
export interface JointNeed {
  readonly least: Need;
  /** By needs: how many times the least one replica takes; 0 for those that do not count. */
  readonly weights: readonly number[];
}

/**
 * Each need with all that take as many cards or more, of no other kinds. That they lack room together is seen by counting; a search would have to look at every way to
 * fill the nodes before it could say so.
 */
export function jointNeeds(needs: readonly Need[], shelves: Iterable<CardShelf>): readonly JointNeed[] {
  const kinds = [...shelves].map(({ kind }) => kind);
  const isMember = (other: Need, need: Need): boolean =>
    need.gpus === undefined || (cardsOf(other) >= need.gpus.count && kinds.every((kind) => need.serves(kind) || !other.serves(kind)));
  const found = new Map<string, JointNeed>(); // members -> what they have in common
  for (const need of needs) {
    const members = new Set(needs.filter((other) => isMember(other, need)));
    const least = leastOf(need, [...members]);
    const weights = needs.map((other) => (members.has(other) ? timesOf(other, least) : 0));
    if (members.size > 1) found.set(weights.join(), { least, weights });
  }
  // Slots apart from the rest: one that takes many times the least takes one slot all the same.
  const [first] = needs;
  if (first !== undefined && needs.length > 1)
    found.set('pods', { least: { ...leastOf(first, needs), gpus: undefined, pods: 1 }, weights: needs.map(() => 1) });
  return [...found.values()];
}

const cardsOf = ({ gpus }: Need): number => gpus?.count ?? 0;

/** Volumes are left out: they would only make it more. */
const leastOf = (need: Need, members: readonly Need[]): Need => ({
  ...need,
  cpu: Math.min(...members.map(({ cpu }) => cpu)),
  memory: Math.min(...members.map(({ memory }) => memory)),
  ephemeral: Math.min(...members.map(({ ephemeral }) => ephemeral)),
  pods: 0,
  classes: [],
  localVolumes: [],
});

function timesOf(need: Need, least: Need): number {
  const times = (amount: number, of: number): number => (of === 0 ? Number.POSITIVE_INFINITY : Math.floor(amount / of));
  return Math.min(
    times(need.cpu, least.cpu),
    times(need.memory, least.memory),
    times(need.ephemeral, least.ephemeral),
    times(cardsOf(need), cardsOf(least)),
  );
}
