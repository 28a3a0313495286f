import type { LeasePod } from '../model/inventory-change.ts';
import { serviceOf } from '../placement/card-offer.ts';
import type { PlannedCards, PlannedUnit } from '../placement/plan.ts';
import type { GpuNeed } from '../placement/request.ts';

/** So many replicas of these units run for certain, whichever of the units the pods are of. */
export interface RunningReplicas {
  readonly units: readonly PlannedUnit[];
  readonly replicas: number;
  readonly pods: readonly LeasePod[];
}

export type Needs = ReadonlyMap<number, GpuNeed | undefined>; // unit -> cards
type Amounts = Pick<PlannedUnit, 'cpuMillis' | 'memoryBytes' | 'ephemeralBytes'>;

/** Pods that are of one unit, and which it may be. */
interface Group {
  readonly pods: readonly LeasePod[];
  /** Pods that do not say of which service they are may be of one that others are of. */
  readonly isService: boolean;
  readonly units: Set<PlannedUnit>;
}

/**
 * What pods stand for, by what can be known of them:
 *
 * - A pod with exactly the amounts of a unit is of one that has them. Any other may be of each that it is no smaller than: something may have been added to it. Its cards must
 *   do for the unit.
 * - The pods of a service are of one unit. Which one, the manifest says, which is not known here.
 * - A unit has at most as many services as replicas.
 *
 * Of whichever units pods are by these rules, no fewer replicas run: what a service has beyond its replicas, while it is updated, stands for nothing of another unit.
 */
export function runningReplicas(units: readonly PlannedUnit[], needs: Needs, pods: readonly LeasePod[]): readonly RunningReplicas[] {
  const groups = groupsOf(units, needs, pods);
  narrow(units, groups);
  return familiesOf(groups).flatMap((family) => {
    const members = groups.filter((group) => family.some((unit) => group.units.has(unit)));
    const unsure = members.filter((group) => group.units.size > 1);
    const services = members.filter(({ isService }) => isService).length;
    const replicas = family.reduce((sum, unit) => sum + unit.replicas.length, 0);
    const all = members.flatMap((group) => group.pods);
    // As many services as replicas: each of them has one.
    if (unsure.length > 0 && services === replicas)
      return family.map((unit) => ({ units: [unit], replicas: unit.replicas.length, pods: all }));
    const sure = family.map((unit) => sureOf(unit, members));
    // More of them than there can be: nothing is known of those that are not told apart.
    return services > replicas ? sure : [...sure, ...leastOf(sure, unsure, members)];
  });
}

function groupsOf(units: readonly PlannedUnit[], needs: Needs, pods: readonly LeasePod[]): readonly Group[] {
  // Whichever came first: what is left must not depend on it.
  const sorted = pods.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  const judged = sorted.map((pod) => ({ pod, may: unitsOf(pod, units, needs) })).filter(({ may }) => may.length > 0);
  return [...Map.groupBy(judged, ({ pod: { service, uid } }) => (service === '' ? `pod ${uid}` : service)).values()].map((own) => ({
    pods: own.map(({ pod }) => pod),
    isService: own[0]?.pod.service !== '',
    units: new Set(units.filter((unit) => own.every(({ may }) => may.includes(unit)))),
  }));
}

function unitsOf(pod: LeasePod, units: readonly PlannedUnit[], needs: Needs): readonly PlannedUnit[] {
  const exact = units.filter((unit) => isCovered(unit, pod) && isCovered(pod, unit));
  const likely = exact.length > 0 ? exact : units.filter((unit) => isCovered(unit, pod));
  return likely.filter((unit) => mayHave(pod, unit, needs.get(unit.id)));
}

/** A unit that has all the services that it can have has no others. */
function narrow(units: readonly PlannedUnit[], groups: readonly Group[]): void {
  const services = groups.filter(({ isService }) => isService);
  for (let isNarrower = true; isNarrower; ) {
    isNarrower = false;
    for (const unit of units) {
      if (servicesOf(unit, services) < unit.replicas.length) continue;
      for (const { units: may } of services) if (may.size > 1 && may.delete(unit)) isNarrower = true;
    }
  }
}

const isOnly = ({ units }: Group, unit: PlannedUnit): boolean => units.size === 1 && units.has(unit);

const servicesOf = (unit: PlannedUnit, groups: readonly Group[]): number =>
  groups.filter((group) => group.isService && isOnly(group, unit)).length;

/** Units that some pods may be of the one or the other of. */
function familiesOf(groups: readonly Group[]): readonly (readonly PlannedUnit[])[] {
  let families: (readonly PlannedUnit[])[] = [];
  for (const { units } of groups) {
    if (units.size === 0) continue;
    const [joined, apart] = [families.filter((each) => each.some((unit) => units.has(unit))), families];
    families = [...apart.filter((each) => !joined.includes(each)), [...new Set([...units, ...joined.flat()])]];
  }
  return families;
}

function sureOf(unit: PlannedUnit, groups: readonly Group[]): RunningReplicas {
  const pods = groups.filter((group) => isOnly(group, unit)).flatMap((group) => group.pods);
  return { units: [unit], replicas: Math.min(unit.replicas.length, pods.length), pods };
}

/** Gives each group one replica after another, as long as there is one for it in every unit that it may be of, whichever units the others are of. */
function leastOf(sure: readonly RunningReplicas[], unsure: readonly Group[], members: readonly Group[]): readonly RunningReplicas[] {
  const given = new Map(unsure.map((group) => [group, 0]));
  const rooms = new Map(sure.flatMap(({ units, replicas }) => units.map((unit) => [unit, new UnitRoom(unit, replicas, members)] as const)));
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (const group of unsure) {
      const count = given.get(group) ?? 0;
      const own = [...group.units].flatMap((unit) => rooms.get(unit) ?? []);
      if (count === group.pods.length || own.some((room) => !room.hasFor(group, count))) continue;
      for (const room of own) room.give(group, count);
      given.set(group, count + 1);
      isMore = true;
    }
  }
  return unsure.map((group) => ({ units: [...group.units], replicas: given.get(group) ?? 0, pods: group.pods }));
}

/** What is left of a unit if all that may be of it are: of services, as many as it can have, those with the most. */
class UnitRoom {
  readonly #services: number;
  /** Services that were given more than so many. */
  readonly #above: number[] = [];
  #left: number;

  constructor(unit: PlannedUnit, running: number, members: readonly Group[]) {
    this.#services = unit.replicas.length - servicesOf(unit, members);
    this.#left = unit.replicas.length - running;
  }

  hasFor(group: Group, count: number): boolean {
    return this.#left >= this.#cost(group, count);
  }

  give(group: Group, count: number): void {
    this.#left -= this.#cost(group, count);
    if (group.isService) this.#above[count] = (this.#above[count] ?? 0) + 1;
  }

  #cost({ isService }: Group, count: number): number {
    return isService && (this.#above[count] ?? 0) >= this.#services ? 0 : 1;
  }
}

export const isCovered = (a: Amounts, by: Amounts): boolean =>
  a.cpuMillis <= by.cpuMillis && a.memoryBytes <= by.memoryBytes && a.ephemeralBytes <= by.ephemeralBytes;

function mayHave(pod: LeasePod, { replicas }: PlannedUnit, need: GpuNeed | undefined): boolean {
  const { cardGroups: groups } = pod;
  const isServed = need !== undefined && (groups.length === 0 || serviceOf({ groups }, need) !== 'other-cards');
  return replicas.some(({ cards }) => hasAsMany(pod, cards) && (cards === undefined || isServed));
}

export function hasAsMany({ cards: held }: LeasePod, cards: PlannedCards | undefined): boolean {
  const counted = [...held].filter(([, count]) => count > 0);
  if (cards === undefined || cards.count === 0) return counted.length === 0;
  return counted.length === 1 && held.get(cards.resource) === cards.count;
}
