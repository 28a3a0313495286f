import type { Decide } from '../src/book/decision.ts';
import type { Reservation } from '../src/model/reservation.ts';
import { place } from '../src/placement/place.ts';
import { holdsOf } from '../src/placement/plan.ts';
import type { Stock } from '../src/placement/stock.ts';
import type { NodeFacts } from '../src/placement/stock-facts.ts';
import type { PlansToRenew } from '../src/reservations/renew-plans.ts';
import type { PlansInNeed } from '../src/reservations/replan.ts';
import type { ReservationBook } from '../src/reservations/reservation-cache.ts';
import { stock } from './sample-facts.ts';

/** Reservations over a stock that nobody else takes from, by the rules of the placement: what the writing of reservations needs of a book. */
export class SmallBook implements ReservationBook, PlansInNeed, PlansToRenew {
  readonly stock: Stock;
  readonly #nodes = new Set<string>();
  readonly #reservations = new Map<string, Reservation>(); // name -> reservation

  constructor(nodes: readonly NodeFacts[]) {
    this.stock = stock(nodes);
    for (const { name } of nodes) this.#nodes.add(name);
  }

  readonly decide: Decide = (request, _owner, except) => {
    const held = except === undefined ? undefined : this.stock.holdsOf(except);
    if (except !== undefined) this.stock.release(except);
    try {
      const placing = place(this.stock, request);
      if (placing.kind === 'plan') return placing;
      if (placing.kind === 'refusal') return { kind: 'refused', why: 'does-not-fit', reasons: placing.reasons };
      return { kind: 'refused', why: 'not-found', reasons: [] };
    } finally {
      if (except !== undefined && held !== undefined) this.stock.hold(except, held);
    }
  };

  setNode(facts: NodeFacts): void {
    this.#nodes.add(facts.name);
    this.stock.setNode(facts);
  }

  removeNode(name: string): void {
    this.#nodes.delete(name);
    this.stock.removeNode(name);
  }

  setReservation(reservation: Reservation): void {
    this.stock.hold(reservation.name, holdsOf(reservation.plan));
    this.#reservations.set(reservation.name, reservation);
  }

  removeReservation(name: string): void {
    this.stock.release(name);
    this.#reservations.delete(name);
  }

  reservation(name: string): Reservation | undefined {
    return this.#reservations.get(name);
  }

  reservations(): readonly Reservation[] {
    return [...this.#reservations.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  isInNeed(name: string): boolean {
    return [...this.needsNewPlan()].includes(name);
  }

  /** What is active stays where it is. */
  missingReplicas(): undefined {}

  /** It has no storage classes. */
  renewedPlan(): undefined {}

  *needsNewPlan(): Iterable<string> {
    for (const { name, phase, isConfirmed, plan } of this.reservations()) {
      const isKept = plan.units.every(({ replicas }) => replicas.every(({ node }) => this.#nodes.has(node)));
      if (phase === 'pending' && isConfirmed && !isKept) yield name;
    }
  }
}
