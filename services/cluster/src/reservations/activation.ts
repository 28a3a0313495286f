import { again, done, findCondition, type Reconciler } from '@quartermaster/controller';
import type { Clock } from '@quartermaster/kernel';
import type { LeaseNamespace, Reservation } from '../model/reservation.ts';
import type { LeaseNamespaces } from './lease-namespaces.ts';
import type { ReservationBook } from './reservation-cache.ts';
import type { ReservationWriter } from './reservation-writer.ts';
import { type ConditionWriter, tellCondition } from './told-condition.ts';

export interface ActivationOptions {
  readonly book: ReservationBook;
  readonly namespaces: Pick<LeaseNamespaces, 'of' | 'isKnown' | 'leaseOf'>;
  readonly clock: Clock;
  /** Of the term, once it has taken over. */
  readonly writer: () => Promise<ConditionWriter & { readonly reservations: Pick<ReservationWriter, 'attend' | 'record'> }>;
}

interface View {
  /** What its reservation has to record, if the server says so, too. */
  readonly unrecorded: LeaseNamespace | undefined;
  /** Condition -> what it says; undefined where it does not hold. */
  readonly says: ReadonlyMap<string, string | undefined>;
}

const ambiguous = 'LeaseNamespaceAmbiguous';
const gone = 'LeaseNamespaceGone';
const whileBusyMs = 1_000;
/** Whoever activates a reservation may know of a namespace that is not followed yet. */
const goneAfterMs = 10_000;

/**
 * There is a namespace for the lease: the reservation records it, and no longer expires. However many calls wait, this is not refused. Of several namespaces that claim one
 * order none is recorded, since anybody who may label a namespace could take the place of the lease; the reservation says so, and it says when the recorded one is gone.
 * For the same reason nothing takes the place of a recorded one that may only be not followed yet, and the server is asked before anything is recorded. What was reserved for
 * a bid is activated by its lease alone: it is never given back for as long as there may be a lease, and labels would make one of any bid.
 */
export function activation({ book, namespaces, clock, writer }: ActivationOptions): Reconciler {
  const missing = new Map<string, number>(); // reservation -> since when its namespace is not there
  function viewOf({ name, phase, leaseNamespace, bid }: Reservation): View {
    const found = namespaces.of(name);
    const recorded = phase === 'active' ? leaseNamespace : undefined;
    const isThere = found.some(({ uid }) => uid === recorded?.uid);
    if (recorded === undefined || isThere) missing.delete(name);
    else if (!missing.has(name)) missing.set(name, clock.monotonic());
    const isGone = namespaces.isKnown && goneInMs(name) === 0;
    const unrecorded = bid === undefined && found.length === 1 && (recorded === undefined || isGone) ? found[0] : undefined;
    const says = new Map([
      [ambiguous, found.length > 1 ? ambiguity(found, isThere ? recorded : undefined) : undefined],
      [
        gone,
        isGone && unrecorded === undefined
          ? `its namespace ${recorded?.name} is gone: ${wayOut(bid !== undefined)}; until then it holds what it holds`
          : undefined,
      ],
    ]);
    return { unrecorded, says };
  }
  const goneInMs = (name: string): number | undefined => {
    const since = missing.get(name);
    return since === undefined ? undefined : Math.max(since + goneAfterMs - clock.monotonic(), 0);
  };
  function hasWork(standing: Reservation): boolean {
    const { unrecorded, says } = viewOf(standing);
    return unrecorded !== undefined || [...says].some(([type, message]) => findCondition(standing.conditions, type)?.message !== message);
  }
  return {
    name: 'activation',
    reconcile: async (name, signal) => {
      const before = book.reservation(name);
      if (before?.isConfirmed !== true) {
        missing.delete(name);
        return done;
      }
      if (hasWork(before)) {
        const { reservations, objects } = await writer();
        await reservations.attend(name, async (standing) => {
          if (!standing.isConfirmed) return;
          const { unrecorded, says } = viewOf(standing);
          const lease = unrecorded && (await namespaces.leaseOf(standing.order, signal));
          let stands = lease === undefined || lease === 'ambiguous' ? standing : await reservations.record(name, lease);
          for (const [type, message] of says) {
            const said = message === undefined ? undefined : { reason: type, message };
            stands = await tellCondition({ reservations, objects }, stands, type, said, clock.now());
          }
        });
      }
      const after = book.reservation(name);
      // Nobody attends to one whose fate is unknown.
      if (after?.isConfirmed === true && hasWork(after)) return again(whileBusyMs);
      const isUnsaid = missing.has(name) && findCondition(after?.conditions, gone) === undefined;
      return isUnsaid ? again(Math.max(goneInMs(name) ?? 0, whileBusyMs)) : done;
    },
  };
}

/** What a bid or a lease holds is given back by its end alone. */
const wayOut = (isOfBid: boolean): string =>
  isOfBid
    ? 'it is created again for as long as its lease is active; close the lease at the market to end it'
    : 'unreserve it if the lease has ended';

function ambiguity(found: readonly LeaseNamespace[], recorded: LeaseNamespace | undefined): string {
  const [first, second] = found;
  const more = found.length > 2 ? ` (and ${found.length - 2} more)` : '';
  const which = recorded === undefined ? 'none of them is recorded' : `${recorded.name} is the recorded one`;
  return `namespaces ${first?.name} and ${second?.name}${more} have the labels of its lease, and ${which}: unlabel or delete those that are not the lease's`;
}
