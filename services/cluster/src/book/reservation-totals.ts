import type { BookEntry, ReservationBook } from './reservation-book.ts';
import { addHeld, addPromised, addUsed, noResources, type Resources } from './resources.ts';

/** What became of what a reservation was promised. */
export interface ReservationAmounts {
  readonly promised: Resources;
  /** What its pods, claims and Services have, and what is held for those that are still to come. */
  readonly allocated: Resources;
  readonly held: Resources;
  readonly unitPods: readonly { readonly unit: number; readonly replicas: number; readonly pods: number }[];
}

export function amountsOf({ reservation: { plan }, use, net }: BookEntry): ReservationAmounts {
  const waiting = new Map<number, number>(); // unit -> replicas
  for (const { unit } of net.waiting) waiting.set(unit.id, (waiting.get(unit.id) ?? 0) + 1);
  return {
    promised: addPromised(noResources(), plan),
    allocated: addUsed(noResources(), use),
    held: addHeld(noResources(), net.holds),
    unitPods: plan.units.map(({ id, replicas: { length } }) => ({ unit: id, replicas: length, pods: length - (waiting.get(id) ?? 0) })),
  };
}

/** All reservations of one phase together. */
export interface ReservationTotals {
  readonly count: number;
  readonly promised: Resources;
  readonly allocated: Resources;
  readonly held: Resources;
}

export function totalsOf(book: ReservationBook, phase: 'pending' | 'active'): ReservationTotals {
  const totals = { count: 0, promised: noResources(), allocated: noResources(), held: noResources() };
  for (const entry of book.entries) {
    if (entry.reservation.phase !== phase) continue;
    totals.count += 1;
    addPromised(totals.promised, entry.reservation.plan);
    addUsed(totals.allocated, entry.use);
    addHeld(totals.held, entry.net.holds);
  }
  return totals;
}

/** Active reservations: each is a lease. By name. */
export function leasesOf(book: ReservationBook): readonly BookEntry[] {
  return [...book.entries]
    .filter(({ reservation }) => reservation.phase === 'active')
    .toSorted((a, b) => (a.reservation.name < b.reservation.name ? -1 : 1));
}
