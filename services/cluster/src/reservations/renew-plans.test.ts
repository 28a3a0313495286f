import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { node } from '../../test/sample-facts.ts';
import { SmallBook } from '../../test/small-book.ts';
import { promiseIn, SmallWriter } from '../../test/small-writer.ts';
import type { Plan } from '../placement/plan.ts';
import { plansToRenew, renewPlans } from './renew-plans.ts';

/** A book that has one plan to renew until that is written. */
function world({ isConfirmed = true } = {}) {
  const book = new SmallBook([node('n1')]);
  const { name, plan } = promiseIn(book, new FakeClock(), { isConfirmed });
  const renewed: Plan = { ...plan };
  const plans = {
    reservations: () => book.reservations(),
    renewedPlan: (asked: string) => (asked === name && book.reservation(name)?.plan === plan ? renewed : undefined),
  };
  const writer = new SmallWriter(book);
  const reconciler = renewPlans(plans, async () => writer);
  const renew = () => reconciler.reconcile(name, new AbortController().signal);
  const told = (): string[] => {
    const keys: string[] = [];
    plansToRenew(plans).visitAll({ key: (key) => keys.push(key), failed: () => {} });
    return keys;
  };
  return { book, name, renewed, writer, renew, told };
}

describe('a plan that lacks where its volumes lie', () => {
  it('is told of until it is written, once', async () => {
    const { book, name, renewed, writer, renew, told } = world();
    expect(told()).toEqual([name]);
    await renew();
    await renew();
    expect([book.reservation(name)?.plan === renewed, writer.writes, told()]).toEqual([true, 1, []]);
  });

  it('is not written by one who lost the lease, nor before it is promised', async () => {
    const lost = world();
    lost.writer.isLost = true;
    await expect(lost.renew()).rejects.toThrow('the lease is lost');
    const attempt = world({ isConfirmed: false });
    await attempt.renew();
    expect([lost.writer.writes, attempt.writer.writes, attempt.told()]).toEqual([0, 0, []]);
  });
});
