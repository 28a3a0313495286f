import { done, type Reconciler, type Source } from '@quartermaster/controller';
import type { Plan } from '../placement/plan.ts';
import { askedSource } from './asked-source.ts';
import type { ReplanOptions } from './replan.ts';
import type { ReservationBook } from './reservation-cache.ts';

/** What a book says of plans whose volumes may lie elsewhere by now than they say. */
export interface PlansToRenew extends Pick<ReservationBook, 'reservations'> {
  /** The same places, with what they lack; undefined where nothing is lacking. */
  renewedPlan(name: string): Plan | undefined;
}

export const plansToRenew = (book: PlansToRenew): Source =>
  askedSource(() =>
    book.reservations().flatMap(({ name, isConfirmed }) => (isConfirmed && book.renewedPlan(name) !== undefined ? name : [])),
  );

/** Writes into objects where volumes may lie by now: all that is known of that to a replica that starts while their class is silent. */
export function renewPlans(book: PlansToRenew, writer: ReplanOptions['writer']): Reconciler {
  return {
    name: 'renew-plans',
    reconcile: async (name) => {
      const { reservations, objects, leadership, term } = await writer();
      await reservations.attend(name, async (standing) => {
        const plan = standing.isConfirmed ? book.renewedPlan(name) : undefined;
        if (plan === undefined) return;
        await reservations.write(standing, async () => {
          await leadership.verify();
          return await objects.setPlan(standing, plan, { ...standing, term });
        });
      });
      return done;
    },
  };
}
