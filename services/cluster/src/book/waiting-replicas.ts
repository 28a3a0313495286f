import type { LeasePod } from '../model/inventory-change.ts';
import type { Reservation } from '../model/reservation.ts';
import { groupKey, isWider } from '../placement/card-offer.ts';
import type { PlannedReplica, PlannedUnit } from '../placement/plan.ts';
import { hasAsMany, isCovered, type Needs, type RunningReplicas, runningReplicas } from './running-replicas.ts';

export interface WaitingReplica {
  readonly unit: PlannedUnit;
  readonly replica: PlannedReplica;
}

export type Promised = Pick<Reservation, 'plan' | 'request'>;

/**
 * Replicas that no pod stands for. What is left serves whatever does not run, of whichever units the pods are: where that is not known, a replica goes of the unit that all
 * others could take the place of, or none does.
 */
export function waitingReplicas({ plan, request }: Promised, pods: readonly LeasePod[]): readonly WaitingReplica[] {
  const waiting: WaitingReplica[] = [];
  for (const unit of plan.units) for (const replica of unit.replicas) waiting.push({ unit, replica });
  if (pods.length === 0) return waiting;
  const needs: Needs = new Map(request.units.map(({ id, gpus }) => [id, gpus]));
  const running = runningReplicas(plan.units, needs, pods);
  for (const each of running.toSorted((a, b) => a.units.length - b.units.length)) takeOff(waiting, each, needs);
  return waiting;
}

/** Those first that are planned where a pod runs. */
function takeOff(waiting: WaitingReplica[], { units, replicas, pods }: RunningReplicas, needs: Needs): void {
  const least = new Set(units.filter((unit) => units.every((other) => other === unit || servesAs(other, unit, needs))));
  const [all, rest] = [new Set(units), new Set(pods)];
  let left = replicas;
  for (const find of [plannedHere, likely]) {
    for (const pod of rest) {
      const found = left === 0 ? undefined : find(pod, waiting, all, least);
      if (found === undefined) continue;
      waiting.splice(waiting.indexOf(found), 1);
      rest.delete(pod);
      left -= 1;
    }
  }
}

type Find = (
  pod: LeasePod,
  waiting: readonly WaitingReplica[],
  units: ReadonlySet<PlannedUnit>,
  least: ReadonlySet<PlannedUnit>,
) => WaitingReplica | undefined;

const plannedHere: Find = (pod, waiting, _, least) =>
  waiting.find(({ unit, replica }) => least.has(unit) && replica.node === pod.node && hasCardsOf(pod, replica));

const likely: Find = (pod, waiting, units, least) => {
  const here = waiting.filter(({ unit, replica }) => replica.node === pod.node && units.has(unit));
  // Where it may be one that is planned here, the room of another is not given back for it.
  const harmless = (here.length > 0 ? here : waiting).filter(({ unit }) => least.has(unit));
  return harmless.find(({ replica }) => hasCardsOf(pod, replica)) ?? harmless[0];
};

/** What a device plugin picks is counted as one, whatever it turns out to be. */
function hasCardsOf(pod: LeasePod, { cards }: PlannedReplica): boolean {
  if (!hasAsMany(pod, cards)) return false;
  return cards?.group === undefined || (pod.cardGroups.length > 0 && pod.cardGroups.every((group) => groupKey(group) === cards.group));
}

/** Whether whatever would do for the one would do for the other: not what is held for it alone, which may be given back in turn. */
function servesAs(unit: PlannedUnit, other: PlannedUnit, needs: Needs): boolean {
  const [need, wider] = [needs.get(unit.id), needs.get(other.id)];
  if (!isCovered(other, unit) || (need !== undefined && wider !== undefined && !isWider(wider, need))) return false;
  // Not every node has every class, and the room of a volume is of no use without that of its pod.
  return other.volumes.every((volume) => unit.volumes.some((own) => own.class === volume.class));
}
