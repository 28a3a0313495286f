import { again, done, findCondition, type Outcome, type Reconciler, type Source } from '@quartermaster/controller';
import type { Clock } from '@quartermaster/kernel';
import type { Leadership } from '@quartermaster/kube';
import type { Decide, Refused } from '../book/decision.ts';
import type { Reservation } from '../model/reservation.ts';
import type { Plan } from '../placement/plan.ts';
import { askedSource } from './asked-source.ts';
import type { ReservationBook, ReservationCache } from './reservation-cache.ts';
import { isSamePlan } from './reservation-object.ts';
import type { ReservationObjects } from './reservation-objects.ts';
import type { ReservationWriter } from './reservation-writer.ts';
import { tellCondition } from './told-condition.ts';

/** What a book says of plans that nodes have changed under. */
export interface PlansInNeed extends Pick<ReservationBook, 'reservations'> {
  /** Names of pending reservations whose plan no longer fits. */
  needsNewPlan(): Iterable<string>;
  isInNeed(name: string): boolean;
}

export interface ReplanOptions {
  readonly book: PlansInNeed;
  readonly cache: Pick<ReservationCache, 'hold'>;
  readonly decide: Decide;
  readonly clock: Clock;
  /** Of the term, once it has taken over. */
  readonly writer: () => Promise<{
    readonly reservations: Pick<ReservationWriter, 'attend' | 'write'>;
    readonly objects: Pick<ReservationObjects, 'setPlan' | 'setStatus'>;
    readonly leadership: Pick<Leadership, 'verify'>;
    readonly term: number;
  }>;
}

/** How often is looked for plans that no longer fit. */
export const replanIntervalMs = 2_000;
const unplaceable = 'Unplaceable';
/** How often one that stays unplaceable says why it is by then. */
const sayAgainMs = 60_000;
const maxReasons = 10;
const maxText = 1_000;

/** Those that need a new plan, and those that say that there is none. */
export const plansInNeed = (book: PlansInNeed): Source =>
  askedSource(() => [
    ...book.needsNewPlan(),
    ...book.reservations().flatMap(({ name, conditions }) => (findCondition(conditions, unplaceable) === undefined ? [] : name)),
  ]);

/** Plans what is pending anew where its plan no longer fits. Where there is no other plan, its object says so, and it stays promised. */
export function replan({ book, cache, decide, clock, writer }: ReplanOptions): Reconciler {
  const saidAt = new Map<string, number>(); // reservation -> when it last said that there is no plan
  return {
    name: 'replan',
    reconcile: async (name): Promise<Outcome> => {
      const { reservations, objects, leadership, term } = await writer();
      let outcome: Outcome = done;
      await reservations.attend(name, async (standing) => {
        if (!standing.isConfirmed) return;
        // An active one stays as it is: whether there is another plan no longer matters.
        if (standing.phase !== 'pending' || !book.isInNeed(name)) return await unsay(standing);
        // From here to the hold nothing may be awaited, as for a new one.
        const decision = decide(standing.request, undefined, name);
        if (decision.kind === 'refused') {
          outcome = again(replanIntervalMs);
          await say(standing, decision);
          return;
        }
        if (isSamePlan(decision.plan, standing.plan)) return;
        cache.hold({ ...standing, plan: together(standing.plan, decision.plan) });
        const planned = await reservations.write(standing, async () => {
          // Whoever lost the lease does not know what was promised since.
          await leadership.verify();
          return await objects.setPlan(standing, decision.plan, { ...standing, term });
        });
        await unsay(planned);
      });
      if (outcome === done) saidAt.delete(name);
      return outcome;

      async function unsay(standing: Reservation): Promise<void> {
        await tellCondition({ reservations, objects }, standing, unplaceable, undefined, clock.now());
      }

      async function say(standing: Reservation, { why, reasons }: Refused): Promise<void> {
        // Too little is known now: that says nothing of the reservation.
        if (why === 'not-known') return;
        // Figures in it change all the time; its object must not.
        const at = saidAt.get(name);
        if (at !== undefined && clock.monotonic() - at < sayAgainMs && findCondition(standing.conditions, unplaceable) !== undefined)
          return;
        const reason = reasons[0]?.code ?? 'NoRoom';
        const message = `its plan no longer fits, and ${noOther(why)}${listed(reasons)}`;
        await tellCondition({ reservations, objects }, standing, unplaceable, { reason, message }, clock.now());
        saidAt.set(name, clock.monotonic());
      }
    },
  };
}

const noOther = (why: Refused['why']): string =>
  why === 'not-found' ? 'no other was found, though there may be one' : 'there is no other';

function listed(reasons: Refused['reasons']): string {
  if (reasons.length === 0) return '';
  const text = reasons
    .slice(0, maxReasons)
    .map(({ message }) => message)
    .join('; ');
  const more = reasons.length > maxReasons ? ` (and ${reasons.length - maxReasons} more)` : '';
  return `: ${text.length > maxText ? `${text.slice(0, maxText)}…` : text}${more}`;
}

/** Both count until it is known which of them is written. */
function together(before: Plan, after: Plan): Plan {
  return {
    units: [...before.units, ...after.units],
    ports: Math.max(before.ports, after.ports),
    ips: Math.max(before.ips, after.ips),
  };
}
