import { type Clock, StatusError } from '@quartermaster/kernel';
import type { Leadership } from '@quartermaster/kube';
import type { LeaseNamespace, Reservation } from '../src/model/reservation.ts';
import type { ReservationBook } from '../src/reservations/reservation-cache.ts';
import type { ReservationObjects } from '../src/reservations/reservation-objects.ts';
import type { ReservationWriter } from '../src/reservations/reservation-writer.ts';
import { one } from './sample-facts.ts';
import type { SmallBook } from './small-book.ts';

/** Promises one replica in the book, for five minutes. */
export function promiseIn(book: SmallBook, clock: Clock, changed: Partial<Reservation> = {}): Reservation {
  const decision = book.decide(one());
  if (decision.kind === 'refused') throw new Error('does not fit');
  const reservation: Reservation = {
    name: 'a-1-1-1',
    uid: 'u',
    resourceVersion: '1',
    order: { owner: 'a', dseq: 1n, gseq: 1, oseq: 1 },
    owner: 'a',
    request: one(),
    plan: decision.plan,
    phase: 'pending',
    isConfirmed: true,
    createdAt: clock.now(),
    expiresAt: clock.now() + 5 * 60_000,
    term: 1,
    ...changed,
  };
  book.setReservation(reservation);
  return reservation;
}

/** Writes reservations into a book alone, as duties of a leader see them written. */
export class SmallWriter {
  readonly term = 1;
  readonly deleted: string[] = [];
  /** Writes to objects. */
  writes = 0;
  /** Whether the server says that the lease is somebody else's. */
  isLost = false;
  /** What happens while it is asked for the lease. */
  whileAsked: (() => void) | undefined;
  readonly #book: ReservationBook;

  constructor(book: ReservationBook) {
    this.#book = book;
  }

  readonly leadership: Pick<Leadership, 'verify'> = {
    verify: async () => {
      this.whileAsked?.();
      if (this.isLost) throw new StatusError('failed_precondition', 'the lease is lost', { details: { kind: 'lease-lost' } });
    },
  };

  readonly reservations: Pick<ReservationWriter, 'attend' | 'delete' | 'record' | 'write'> = {
    attend: async (name, work) => {
      const standing = this.#book.reservation(name);
      if (standing !== undefined) await work(standing);
    },
    delete: async ({ name }) => {
      this.deleted.push(name);
      this.#book.removeReservation(name);
    },
    record: async (name, { name: namespace, uid }: LeaseNamespace) =>
      this.#change(name, { phase: 'active', expiresAt: undefined, leaseNamespace: { name: namespace, uid } }),
    write: (_standing, change) => change(),
  };

  readonly objects: Pick<ReservationObjects, 'setPlan' | 'setStatus'> = {
    setPlan: async ({ name }, plan) => this.#change(name, { plan }),
    setStatus: async ({ name }, { conditions }) => this.#change(name, { conditions }),
  };

  #change(name: string, changed: Partial<Reservation>): Reservation {
    const standing = this.#book.reservation(name);
    if (standing === undefined) throw new Error(`there is no ${name}`);
    this.writes += 1;
    const after = { ...standing, ...changed };
    this.#book.setReservation(after);
    return after;
  }
}
