import { again, done, type Outcome, type Reconciler } from '@quartermaster/controller';
import type { Clock } from '@quartermaster/kernel';
import type { Reservation } from '../model/reservation.ts';
import type { LeaseNamespaces } from './lease-namespaces.ts';
import type { ReservationBook } from './reservation-cache.ts';
import type { ReservationWriter } from './reservation-writer.ts';

/** The wall clock may be set: whoever waits for it looks again after this. */
const longestWaitMs = 60_000;
const whileAmbiguousMs = 5_000;

/**
 * Gives back what is still pending when its time is over. One that a lease came of meanwhile is recorded as active instead: the server is asked, since what is followed may
 * be behind. One that becomes active in between stays: it is deleted in the state that was seen, or not at all.
 */
export function expiry(
  book: ReservationBook,
  clock: Clock,
  namespaces: Pick<LeaseNamespaces, 'leaseOf'>,
  writer: () => Promise<Pick<ReservationWriter, 'attend' | 'delete' | 'record'>>,
): Reconciler {
  const remainingMs = ({ phase, isConfirmed, expiresAt }: Reservation): number | undefined =>
    phase === 'pending' && isConfirmed && expiresAt !== undefined ? expiresAt - clock.now() : undefined;
  return {
    name: 'expiry',
    reconcile: async (name, signal) => {
      const reservation = book.reservation(name);
      const waitMs = reservation && remainingMs(reservation);
      if (waitMs === undefined) return done;
      if (waitMs > 0) return again(Math.min(waitMs, longestWaitMs));
      const reservations = await writer();
      let outcome: Outcome = done;
      await reservations.attend(name, async (standing) => {
        const ms = remainingMs(standing);
        if (ms === undefined || ms > 0) return;
        const lease = await namespaces.leaseOf(standing.order, signal);
        if (lease === undefined) await reservations.delete(standing);
        else if (lease === 'ambiguous') outcome = again(whileAmbiguousMs);
        else await reservations.record(name, lease);
      });
      return outcome;
    },
  };
}
