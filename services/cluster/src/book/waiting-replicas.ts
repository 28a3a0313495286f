import type { LeasePod } from '../model/inventory-change.ts';
import type { Reservation } from '../model/reservation.ts';
import { groupKey, serviceOf } from '../placement/card-offer.ts';
import type { PlannedCards, PlannedReplica, PlannedUnit } from '../placement/plan.ts';
import type { GpuNeed } from '../placement/request.ts';

export interface WaitingReplica {
  readonly unit: PlannedUnit;
  readonly replica: PlannedReplica;
}

export type Promised = Pick<Reservation, 'plan' | 'request'>;
type Amounts = Pick<PlannedUnit, 'cpuMillis' | 'memoryBytes' | 'ephemeralBytes'>;

/**
 * Replicas that no pod stands for. A pod stands for a replica with exactly its amounts that is planned on its own node; else for one that it may be, when what stays held
 * serves all others that it may be as well: their cards are as good, and they are no smaller. Last come pods that request more than was planned of any unit: one with exactly
 * the amounts of a unit is of that, however many pods it has while it is updated. A pod that may be of units that cannot take each other's place stands for none.
 */
export function waitingReplicas({ plan, request }: Promised, pods: readonly LeasePod[]): readonly WaitingReplica[] {
  const replicas: WaitingReplica[] = [];
  for (const unit of plan.units) for (const replica of unit.replicas) replicas.push({ unit, replica });
  if (pods.length === 0) return replicas;
  const waiting = replicas.map((each): Waiting => ({ ...each, kind: kindOf(each) }));
  const needs: Needs = new Map(request.units.map(({ id, gpus }) => [id, gpus]));
  // Whichever came first: what is left must not depend on it.
  let left = pods.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  const ofNoUnit: Find = (pod, ...others) => (plan.units.some((unit) => isSame(unit, pod)) ? undefined : likely(isCovered)(pod, ...others));
  for (const find of [plannedHere, likely(isSame), ofNoUnit]) {
    left = left.filter((pod) => {
      const found = find(pod, waiting, needs);
      if (found !== undefined) waiting.splice(waiting.indexOf(found), 1);
      return found === undefined;
    });
  }
  return waiting;
}

type Needs = ReadonlyMap<number, GpuNeed | undefined>; // unit -> cards
type Find = (pod: LeasePod, waiting: readonly Waiting[], needs: Needs) => Waiting | undefined;

interface Waiting extends WaitingReplica {
  /** Those whose holds are alike wherever they are. */
  readonly kind: string;
}

const kindOf = ({ unit, replica: { cards } }: WaitingReplica): string =>
  [unit.id, unit.cpuMillis, unit.memoryBytes, unit.ephemeralBytes, cards?.resource, ...(cards?.groups.map(groupKey) ?? [])].join();

const isSame = (a: Amounts, b: Amounts): boolean =>
  a.cpuMillis === b.cpuMillis && a.memoryBytes === b.memoryBytes && a.ephemeralBytes === b.ephemeralBytes;

const isCovered = (a: Amounts, by: Amounts): boolean =>
  a.cpuMillis <= by.cpuMillis && a.memoryBytes <= by.memoryBytes && a.ephemeralBytes <= by.ephemeralBytes;

const plannedHere: Find = (pod, waiting) =>
  waiting.find(
    ({ unit, replica: { node, cards } }) => node === pod.node && isSame(unit, pod) && hasAsMany(pod, cards) && isOfGroup(pod, cards),
  );

function likely(isOfSize: (unit: Amounts, pod: Amounts) => boolean): Find {
  return (pod, waiting, needs) => {
    const kinds = [...new Map(waiting.map((each) => [each.kind, each])).values()].filter(
      (each) => isOfSize(each.unit, pod) && mayBe(pod, each, needs),
    );
    const likelyKinds = new Set(kinds.map(({ kind }) => kind));
    const harmless = new Set(kinds.filter((each) => kinds.every((other) => serves(other, each, needs))).map(({ kind }) => kind));
    const here = waiting.filter(({ kind, replica }) => replica.node === pod.node && likelyKinds.has(kind));
    // Where it may be one that is planned here, the room of another is not given back for it.
    return (here.length > 0 ? here : waiting).find(({ kind }) => harmless.has(kind));
  };
}

function hasAsMany({ cards: held }: LeasePod, cards: PlannedCards | undefined): boolean {
  const counted = [...held].filter(([, count]) => count > 0);
  if (cards === undefined || cards.count === 0) return counted.length === 0;
  return counted.length === 1 && held.get(cards.resource) === cards.count;
}

/** What a device plugin picks is counted as one, whatever it turns out to be. */
const isOfGroup = ({ cardGroups }: LeasePod, cards: PlannedCards | undefined): boolean =>
  cards?.group === undefined || (cardGroups.length > 0 && cardGroups.every((group) => groupKey(group) === cards.group));

function mayBe(pod: LeasePod, { unit, replica: { cards } }: WaitingReplica, needs: Needs): boolean {
  if (!hasAsMany(pod, cards)) return false;
  const need = needs.get(unit.id);
  return cards === undefined || (need !== undefined && serviceOf({ groups: pod.cardGroups }, need) !== 'other-cards');
}

/** Whether what is held for the one would do for the other. */
function serves({ unit, replica }: WaitingReplica, other: WaitingReplica, needs: Needs): boolean {
  if (!isCovered(other.unit, unit)) return false;
  const need = needs.get(other.unit.id);
  return replica.cards === undefined || (need !== undefined && serviceOf(replica.cards, need) === 'served');
}
