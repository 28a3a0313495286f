import { again, done, findCondition, type Outcome, type Reconciler, type Source } from '@quartermaster/controller';
import type { Clock } from '@quartermaster/kernel';
import type { Leadership } from '@quartermaster/kube';
import type { Decide, Refused } from '../book/decision.ts';
import { type MissingReplicas, withReplicas } from '../book/missing-replicas.ts';
import type { Reservation } from '../model/reservation.ts';
import { bothPlans } from '../placement/both-plans.ts';
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
  /** Of a lease: what does not run, where some of it cannot start where it is planned. */
  missingReplicas(name: string): MissingReplicas | undefined;
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
    ...book.reservations().flatMap(({ name, phase }) => (phase === 'active' && book.missingReplicas(name) !== undefined ? name : [])),
    ...book.reservations().flatMap(({ name, conditions }) => (findCondition(conditions, unplaceable) === undefined ? [] : name)),
  ]);

/** Plans anew what is pending, and what does not run of a lease, where its plan no longer fits. Where there is no other plan, its object says so, and it stays promised. */
export function replan({ book, cache, decide, clock, writer }: ReplanOptions): Reconciler {
  const saidAt = new Map<string, number>(); // reservation -> when it last said that there is no plan
  return {
    name: 'replan',
    reconcile: async (name): Promise<Outcome> => {
      const { reservations, objects, leadership, term } = await writer();
      let outcome: Outcome = done;
      await reservations.attend(name, async (standing) => {
        if (!standing.isConfirmed) return;
        // Of a lease only what does not run is planned anew: the rest stays where it is.
        const missing = standing.phase === 'active' ? book.missingReplicas(name) : undefined;
        if (missing === undefined && (standing.phase === 'active' || !book.isInNeed(name))) return await unsay(standing);
        // From here to the hold nothing may be awaited, as for a new one.
        const decision = missing === undefined ? decide(standing.request, undefined, name) : decide(missing.request);
        if (decision.kind === 'refused') {
          outcome = again(replanIntervalMs);
          await say(standing, decision);
          return;
        }
        const plan = missing === undefined ? decision.plan : withReplicas(missing.kept, decision.plan);
        if (isSamePlan(plan, standing.plan)) return;
        cache.hold({ ...standing, plan: bothPlans(standing.plan, plan) });
        const planned = await reservations.write(standing, async () => {
          // Whoever lost the lease does not know what was promised since.
          await leadership.verify();
          return await objects.setPlan(standing, plan, { ...standing, term });
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
