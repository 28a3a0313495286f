import { type Clock, StatusError } from '@quartermaster/kernel';
import type { Decide } from '../src/book/decision.ts';
import type { OrderId } from '../src/model/order.ts';
import type { LeaseNamespace, Reservation } from '../src/model/reservation.ts';
import { orderName } from '../src/reservations/order-name.ts';
import type { ReservationBook } from '../src/reservations/reservation-cache.ts';
import { isSameRequest } from '../src/reservations/reservation-object.ts';
import type { Reserved, ReserveOrder, Reserver } from '../src/reservations/reserver.ts';

/** Reservations in a map that outlives who writes them, made by two writes as objects are. */
export class MemoryReserver implements Reserver {
  readonly #stored: Map<string, Reservation>;
  readonly #book: ReservationBook;
  readonly #decide: Decide;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #point: () => Promise<void>;
  static #uids = 0;

  /** `point` is where whoever writes may die. */
  constructor(
    stored: Map<string, Reservation>,
    book: ReservationBook,
    decide: Decide,
    clock: Pick<Clock, 'now'>,
    point: () => Promise<void>,
  ) {
    this.#stored = stored;
    this.#book = book;
    this.#decide = decide;
    this.#clock = clock;
    this.#point = point;
    for (const [name, reservation] of stored) {
      if (reservation.isConfirmed) book.setReservation(reservation);
      else stored.delete(name);
    }
  }

  async reserve({ order, owner, request, bid }: ReserveOrder): Promise<Reserved> {
    const name = orderName(order);
    const standing = this.#book.reservation(name);
    if (standing !== undefined) {
      if (isSameRequest(standing.request, request)) return { kind: 'reserved', reservation: standing };
      throw new StatusError('already_exists', `${name} promises something else`);
    }
    const decision = this.#decide(request, owner);
    if (decision.kind === 'refused') return decision;
    MemoryReserver.#uids += 1;
    const now = this.#clock.now();
    const attempt: Reservation = {
      ...{ name, uid: `u${MemoryReserver.#uids}`, resourceVersion: '1', order, owner, request, plan: decision.plan, phase: 'pending' },
      ...{ isConfirmed: false, createdAt: now, expiresAt: bid === undefined ? now + 300_000 : undefined, bid, term: 1 },
    };
    this.#book.setReservation(attempt);
    await this.#point();
    this.#stored.set(name, attempt);
    await this.#point();
    return { kind: 'reserved', reservation: await this.#write({ ...attempt, isConfirmed: true }) };
  }

  async unreserve(order: OrderId, uid?: string): Promise<Reservation | undefined> {
    const name = orderName(order);
    const standing = this.#book.reservation(name);
    if (standing === undefined || standing.uid !== (uid ?? standing.uid)) return undefined;
    await this.#point();
    this.#stored.delete(name);
    this.#book.removeReservation(name);
    await this.#point();
    return standing;
  }

  async activate(order: OrderId, leaseNamespace?: LeaseNamespace): Promise<Reservation> {
    const standing = this.#book.reservation(orderName(order));
    if (standing === undefined) throw new StatusError('not_found', 'there is no reservation');
    await this.#point();
    return await this.#write({ ...standing, phase: 'active', expiresAt: undefined, leaseNamespace });
  }

  async #write(reservation: Reservation): Promise<Reservation> {
    this.#stored.set(reservation.name, reservation);
    this.#book.setReservation(reservation);
    await this.#point();
    return reservation;
  }
}
