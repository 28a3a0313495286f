import type { Clock } from '@quartermaster/kernel';
import type { Decide } from '../src/book/decision.ts';
import type { ReservationBook } from '../src/book/reservation-book.ts';
import type { OrderId } from '../src/model/order.ts';
import type { Reservation } from '../src/model/reservation.ts';
import { orderName } from '../src/reservations/order-name.ts';
import { reserveAnswer } from '../src/reservations/reserve-answer.ts';
import type { Reserved, ReserveOrder, Reserver } from '../src/reservations/reserver.ts';
import { reservation } from './filled-book.ts';

/** Writes into the book alone, at once. */
export class SampleReserver implements Reserver {
  readonly asked: ReserveOrder[] = [];
  readonly #book: ReservationBook;
  readonly #decide: Decide;
  readonly #clock: Clock;

  constructor(book: ReservationBook, decide: Decide, clock: Clock) {
    this.#book = book;
    this.#decide = decide;
    this.#clock = clock;
  }

  async reserve(asked: ReserveOrder): Promise<Reserved> {
    this.asked.push(asked);
    const standing = this.#book.reservation(orderName(asked.order));
    if (standing !== undefined) return reserveAnswer(standing, asked);
    const decision = this.#decide(asked.request, asked.owner);
    if (decision.kind === 'refused') return decision;
    const [createdAt, { lifetimeMs = 60_000 }] = [this.#clock.now(), asked];
    const made = reservation(asked.order, { request: asked.request, plan: decision.plan, createdAt, expiresAt: createdAt + lifetimeMs });
    this.#book.setReservation(made);
    return { kind: 'reserved', reservation: made };
  }

  async unreserve(order: OrderId, uid?: string): Promise<Reservation | undefined> {
    const found = this.#book.reservation(orderName(order));
    if (found === undefined || (uid !== undefined && found.uid !== uid)) return undefined;
    this.#book.removeReservation(found.name);
    return found;
  }

  async activate(): Promise<never> {
    throw new Error('nobody asks for it here');
  }
}
