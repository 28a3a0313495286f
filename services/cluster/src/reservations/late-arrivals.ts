import { again, done, type Reconciler } from '@quartermaster/controller';
import type { ReservationBook } from './reservation-cache.ts';
import type { ReservationWriter } from './reservation-writer.ts';

const whileBusyMs = 1_000;

/** Deletes attempts that nobody works on: of a former leader, or of ours that could not be confirmed. They count until then. */
export function lateArrivals(
  book: ReservationBook,
  writer: () => Promise<Pick<ReservationWriter, 'attend' | 'delete' | 'isBusy'>>,
): Reconciler {
  return {
    name: 'late-arrivals',
    reconcile: async (name) => {
      if (book.reservation(name)?.isConfirmed !== false) return done;
      const reservations = await writer();
      if (reservations.isBusy(name)) return again(whileBusyMs);
      await reservations.attend(name, async (standing) => {
        if (!standing.isConfirmed) await reservations.delete(standing);
      });
      return done;
    },
  };
}
