import type {
  PlannedCards as CardsObject,
  PlannedUnit as PlannedUnitObject,
  Reservation as ReservationObject,
  ReservationPlan,
  ReservationSpec,
  ReservedUnit,
  ReservedVolume,
  PlannedSpace as SpaceObject,
} from '@quartermaster/api/reservation';
import { jsonEqual } from '@quartermaster/controller';
import { messageOf, StatusError } from '@quartermaster/kernel';
import type { Reservation } from '../model/reservation.ts';
import { groupKey } from '../placement/card-offer.ts';
import type { Plan, PlannedCards, PlannedSpace, PlannedUnit } from '../placement/plan.ts';
import type { Request, Unit, Volume } from '../placement/request.ts';

const maxDseq = 2n ** 64n - 1n;

/** What the object of a reservation says. What is read from it is written as it was. */
export function specOf(
  reservation: Pick<Reservation, 'order' | 'owner' | 'request' | 'plan' | 'expiresAt' | 'bid' | 'term'>,
): ReservationSpec {
  const { order, owner, request, plan, expiresAt, bid, term } = reservation;
  return {
    order: { owner: order.owner, dseq: order.dseq.toString(), gseq: order.gseq, oseq: order.oseq },
    owner,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt).toISOString(),
    bid: bid && { denom: bid.denom, amount: bid.amount },
    term,
    units: request.units.map(unitObject),
    plan: planObject(plan),
  };
}

/** Throws `failed_precondition` of an object that does not say what a reservation must. */
export function readReservation(object: ReservationObject): Reservation {
  const { name = '', uid = '', resourceVersion = '', creationTimestamp } = object.metadata ?? {};
  try {
    const { spec, status } = object;
    const phase = phaseOf(status?.phase);
    return {
      name,
      uid: filled('metadata.uid', uid),
      resourceVersion: filled('metadata.resourceVersion', resourceVersion),
      order: { owner: spec.order.owner, dseq: dseqOf(spec.order.dseq), gseq: spec.order.gseq, oseq: spec.order.oseq },
      owner: spec.owner,
      request: { units: spec.units.map(readUnit) },
      plan: readPlan(spec.plan),
      phase,
      isConfirmed: isConfirmed(object),
      createdAt: timeOf('metadata.creationTimestamp', creationTimestamp ?? ''),
      expiresAt: phase === 'active' || spec.expiresAt === undefined ? undefined : timeOf('spec.expiresAt', spec.expiresAt),
      bid: spec.bid && { denom: spec.bid.denom, amount: spec.bid.amount },
      term: spec.term,
      leaseNamespace: status?.leaseNamespace,
      conditions: status?.conditions,
    };
  } catch (thrown) {
    throw new StatusError('failed_precondition', `Reservation ${name} cannot be read: ${messageOf(thrown)}`, { cause: thrown });
  }
}

export const isConfirmed = ({ status }: ReservationObject): boolean => status?.confirmed === true;

export const isSameRequest = (a: Request, b: Request): boolean => jsonEqual(a.units.map(unitObject), b.units.map(unitObject));

/** What was known of the space of volumes makes no difference: they go to the same place. */
export const isSamePlan = (a: Plan, b: Plan): boolean => jsonEqual(planObject(withoutSpaces(a)), planObject(withoutSpaces(b)));

/** Whether the one is what was written for the other. */
export const isSameAttempt = (a: Reservation, b: Reservation): boolean =>
  isSamePlan(a.plan, b.plan) && jsonEqual(specOf({ ...a, plan: b.plan }), specOf(b));

const withoutSpaces = (plan: Plan): Plan => ({
  ...plan,
  units: plan.units.map((unit) => ({ ...unit, volumes: unit.volumes.map((volume) => ({ ...volume, space: undefined })) })),
});

function unitObject({ id, count, cpuMillis, memoryBytes, gpus, volumes, randomPorts = 0, leasedIps = [] }: Unit): ReservedUnit {
  return {
    id,
    count,
    cpuMillis,
    memoryBytes,
    gpus: gpus === undefined || gpus.count === 0 ? undefined : gpus,
    volumes: unlessEmpty(volumes.map(volumeObject)),
    randomPorts: randomPorts === 0 ? undefined : randomPorts,
    leasedIps: unlessEmpty(leasedIps),
  };
}

function volumeObject(volume: Volume): ReservedVolume {
  const { name, kind, bytes } = volume;
  return { name, kind, bytes, storageClass: kind === 'persistent' ? volume.class : undefined };
}

function readUnit({ volumes = [], ...unit }: ReservedUnit): Unit {
  return {
    ...unit,
    volumes: volumes.map(({ name, kind, bytes, storageClass = '' }) =>
      kind === 'persistent' ? { kind, name, bytes, class: storageClass } : { kind, name, bytes },
    ),
  };
}

function planObject({ units, ports, ips }: Plan): ReservationPlan {
  return { units: units.map(plannedUnitObject), ports, leasedIps: ips };
}

function plannedUnitObject({ id, cpuMillis, memoryBytes, ephemeralBytes, volumes, replicas }: PlannedUnit): PlannedUnitObject {
  return {
    id,
    cpuMillis,
    memoryBytes,
    ephemeralStorageBytes: ephemeralBytes,
    volumes: unlessEmpty(
      volumes.map(({ name, class: storageClass, bytes, space }) => ({ name, storageClass, bytes, space: space && spaceObject(space) })),
    ),
    replicas: replicas.map(({ node, uid, cards }) => ({ node, nodeUid: uid, cards: cards && cardsObject(cards) })),
  };
}

function cardsObject({ resource, count, group, groups }: PlannedCards): CardsObject {
  return {
    resource,
    count,
    assignedBy: group === undefined ? 'plugin' : 'claim',
    groups: groups.map(({ vendor, model, interface: slot, memoryBytes }) => ({
      vendor,
      model,
      interface: slot === '' ? undefined : slot,
      memoryBytes: memoryBytes === 0 ? undefined : memoryBytes,
    })),
  };
}

function spaceObject({ isNodeLocal, copies, copiesOnNode, apartFrom, ephemeralNodes }: PlannedSpace): SpaceObject {
  const isAnywhere = ephemeralNodes === 'any';
  return {
    nodeLocal: isNodeLocal,
    copies,
    copiesOnNode: copiesOnNode === 1 ? undefined : copiesOnNode,
    apartFrom: unlessEmpty(apartFrom),
    anyEphemeralStorage: isAnywhere ? true : undefined,
    ephemeralNodes: isAnywhere ? undefined : unlessEmpty(ephemeralNodes),
  };
}

function readSpace(space: SpaceObject): PlannedSpace {
  const { nodeLocal: isNodeLocal, copies, copiesOnNode = 1, apartFrom = [], anyEphemeralStorage, ephemeralNodes = [] } = space;
  return { isNodeLocal, copies, copiesOnNode, apartFrom, ephemeralNodes: anyEphemeralStorage === true ? 'any' : ephemeralNodes };
}

function readPlan({ units, ports, leasedIps }: ReservationPlan): Plan {
  return {
    units: units.map(({ id, cpuMillis, memoryBytes, ephemeralStorageBytes, volumes = [], replicas }) => ({
      id,
      cpuMillis,
      memoryBytes,
      ephemeralBytes: ephemeralStorageBytes,
      volumes: volumes.map(({ name, storageClass, bytes, space }) => ({
        name,
        class: storageClass,
        bytes,
        space: space && readSpace(space),
      })),
      replicas: replicas.map(({ node, nodeUid, cards }) => ({ node, uid: nodeUid, cards: cards && readCards(cards) })),
    })),
    ports,
    ips: leasedIps,
  };
}

function readCards({ resource, count, assignedBy, groups }: CardsObject): PlannedCards {
  const read = groups.map(({ vendor, model, interface: slot = '', memoryBytes = 0 }) => ({ vendor, model, interface: slot, memoryBytes }));
  const [first] = read;
  if (first === undefined) throw new StatusError('invalid_argument', 'spec.plan has cards of no group');
  return { resource, count, group: assignedBy === 'claim' ? groupKey(first) : undefined, groups: read };
}

const unlessEmpty = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);

function filled(field: string, text: string): string {
  if (text === '') throw new StatusError('invalid_argument', `${field} is empty`);
  return text;
}

function dseqOf(text: string): bigint {
  const dseq = /^[0-9]{1,20}$/.test(text) ? BigInt(text) : maxDseq + 1n;
  if (dseq > maxDseq)
    throw new StatusError('invalid_argument', `spec.order.dseq is ${JSON.stringify(text)}; it must be a number of 64 bits`);
  return dseq;
}

function timeOf(field: string, text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new StatusError('invalid_argument', `${field} is ${JSON.stringify(text)}, which is no time`);
  return time;
}

function phaseOf(phase: string | undefined): Reservation['phase'] {
  if (phase === undefined || phase === 'Pending') return 'pending';
  if (phase === 'Active') return 'active';
  throw new StatusError('invalid_argument', `status.phase is ${JSON.stringify(phase)}; it must be Pending or Active`);
}
