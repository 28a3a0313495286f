import type { MessageInitShape } from '@bufbuild/protobuf';
import { ReservationPhase, type ReservationSchema, type ResourcesSchema } from '@quartermaster/api/cluster';
import type { ReservationBook } from '../book/reservation-book.ts';
import { amountsOf } from '../book/reservation-totals.ts';
import type { Resources } from '../book/resources.ts';
import type { Reservation } from '../model/reservation.ts';
import { momentMessage } from './moment-message.ts';
import { planMessage } from './plan-message.ts';
import { orderMessage, requestMessage } from './request-message.ts';
import { conditionMessage, shownConditions } from './reservation-conditions.ts';

const phases = { pending: ReservationPhase.PENDING, active: ReservationPhase.ACTIVE } as const;

/** What was given back has no figures and no conditions any more. */
export function formerMessage(reservation: Reservation) {
  const { order, uid, owner, request, plan, phase, isConfirmed, createdAt, expiresAt, bid, term, leaseNamespace } = reservation;
  return {
    order: orderMessage(order),
    uid,
    owner,
    request: requestMessage(request),
    plan: planMessage(plan),
    phase: phases[phase],
    confirmed: isConfirmed,
    createdAt: momentMessage(createdAt),
    expiresAt: momentMessage(expiresAt),
    bid: bid && { denom: bid.denom, amount: bid.amount },
    term: BigInt(term),
    leaseNamespace: leaseNamespace && { ...leaseNamespace },
  } satisfies MessageInitShape<typeof ReservationSchema>;
}

export function reservationMessage(reservation: Reservation, book: ReservationBook): MessageInitShape<typeof ReservationSchema> {
  const entry = book.entry(reservation.name);
  // The book may be a moment ahead of whoever holds the reservation.
  if (entry?.reservation.uid !== reservation.uid) return formerMessage(reservation);
  const { promised, allocated, held, unitPods } = amountsOf(entry);
  return {
    ...formerMessage(entry.reservation),
    conditions: shownConditions(book, entry.reservation).map((condition) => conditionMessage(condition, book)),
    promised: resourcesMessage(promised),
    allocated: resourcesMessage(allocated),
    held: resourcesMessage(held),
    unitPods: unitPods.map((each) => ({ ...each })),
  };
}

export function resourcesMessage(amounts: Resources): MessageInitShape<typeof ResourcesSchema> {
  return {
    cpuMillis: BigInt(amounts.cpuMillis),
    memoryBytes: BigInt(amounts.memoryBytes),
    ephemeralStorageBytes: BigInt(amounts.ephemeralBytes),
    gpus: counts(amounts.cards),
    storage: counts(amounts.storage),
    ports: BigInt(amounts.ports),
    leasedIps: BigInt(amounts.ips),
  };
}

const counts = (map: ReadonlyMap<string, number>): Record<string, bigint> =>
  Object.fromEntries([...map].filter(([, amount]) => amount !== 0).map(([name, amount]) => [name, BigInt(amount)]));
