/*
 * Of which units the pods of a lease can be, tried one by one: the reference of what must stay held beside them. Shares no code with the book.
 */
import type { LeasePod } from '../src/model/inventory-change.ts';
import type { Reservation } from '../src/model/reservation.ts';
import type { PlannedReplica, PlannedUnit } from '../src/placement/plan.ts';
import type { CardGroup } from '../src/placement/stock-facts.ts';

type Promised = Pick<Reservation, 'plan' | 'request'>;

export interface HeldReplica {
  readonly unit: PlannedUnit;
  readonly replica: PlannedReplica;
}

type Amounts = Pick<PlannedUnit, 'cpuMillis' | 'memoryBytes' | 'ephemeralBytes'>;

const covers = (large: Amounts, small: Amounts): boolean =>
  large.cpuMillis >= small.cpuMillis && large.memoryBytes >= small.memoryBytes && large.ephemeralBytes >= small.ephemeralBytes;

const equals = (a: Amounts, b: Amounts): boolean => covers(a, b) && covers(b, a);

const asManyCards = ({ cards }: PlannedReplica, pod: LeasePod): boolean =>
  [...pod.cards.values()].reduce((total, count) => total + count, 0) === (cards?.count ?? 0) &&
  (cards === undefined || pod.cards.get(cards.resource) === cards.count);

const wants = ({ request }: Promised, { id }: PlannedUnit, { model }: CardGroup): boolean =>
  request.units.find((unit) => unit.id === id)?.gpus?.wants.some((want) => want.model === '*' || want.model === model) ?? false;

function mayBe(promised: Promised, pod: LeasePod, unit: PlannedUnit): boolean {
  const isExact = promised.plan.units.some((other) => equals(other, pod));
  if (!(isExact ? equals(unit, pod) : covers(pod, unit))) return false;
  const isServed = pod.cardGroups.length === 0 || pod.cardGroups.some((group) => wants(promised, unit, group));
  return unit.replicas.some((replica) => asManyCards(replica, pod) && (replica.cards === undefined || isServed));
}

/** Whether a replica of the unit could start in the room of the other. */
const canTake = (promised: Promised, unit: PlannedUnit, { unit: other, replica: { cards } }: HeldReplica): boolean =>
  covers(other, unit) &&
  unit.volumes.every((volume) => other.volumes.some((own) => own.class === volume.class)) &&
  (cards === undefined ||
    ((cards.count === 1 || cards.groups.length === 1) && cards.groups.every((group) => wants(promised, unit, group))));

/** Whether each of the units gets a room of its own. */
function areServed(promised: Promised, missing: readonly PlannedUnit[], held: readonly HeldReplica[]): boolean {
  const takenBy = new Map<HeldReplica, PlannedUnit>();
  const serve = (unit: PlannedUnit, tried: Set<HeldReplica>): boolean =>
    held.some((room) => {
      if (tried.has(room) || !canTake(promised, unit, room)) return false;
      tried.add(room);
      const other = takenBy.get(room);
      if (other !== undefined && !serve(other, tried)) return false;
      takenBy.set(room, unit);
      return true;
    });
  return missing.every((unit) => serve(unit, new Set()));
}

/** The units that each of the pods is of, in every way that is possible: those of a service are of one unit, which has at most as many services as replicas. */
function assignments(promised: Promised, pods: readonly LeasePod[]): readonly ReadonlyMap<LeasePod, PlannedUnit>[] {
  const { units } = promised.plan;
  const own = pods.filter((pod) => units.some((unit) => mayBe(promised, pod, unit)));
  const groups = [...Map.groupBy(own, ({ service, uid }) => (service === '' ? `no service: ${uid}` : service)).values()];
  let found: ReadonlyMap<LeasePod, PlannedUnit>[] = [new Map()];
  for (const group of groups) {
    const may = units.filter((unit) => group.every((pod) => mayBe(promised, pod, unit)));
    if (may.length === 0) continue;
    found = found.flatMap((before) => may.map((unit) => new Map([...before, ...group.map((pod) => [pod, unit] as const)])));
  }
  return found.filter((each) =>
    units.every((unit) => {
      const services = new Set([...each].flatMap(([{ service }, of]) => (of === unit && service !== '' ? service : [])));
      return services.size <= unit.replicas.length;
    }),
  );
}

/** The units of the replicas that do not run, in every way that is possible. */
export function missingUnits(promised: Promised, pods: readonly LeasePod[]): readonly (readonly PlannedUnit[])[] {
  return assignments(promised, pods).map((each) =>
    promised.plan.units.flatMap((unit) => {
      const running = [...each.values()].filter((of) => of === unit).length;
      return unit.replicas.slice(running).map(() => unit);
    }),
  );
}

/** Who would have no room: the first of those ways of which what is held does not serve all; undefined when there is none. */
export const undercounted = (promised: Promised, pods: readonly LeasePod[], held: readonly HeldReplica[]): readonly number[] | undefined =>
  missingUnits(promised, pods)
    .find((missing) => !areServed(promised, missing, held))
    ?.map(({ id }) => id);
