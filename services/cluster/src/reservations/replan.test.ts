import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { node } from '../../test/sample-facts.ts';
import { SmallBook } from '../../test/small-book.ts';
import { promiseIn, SmallWriter } from '../../test/small-writer.ts';
import type { Refused } from '../book/decision.ts';
import { replan } from './replan.ts';

function world() {
  const clock = new FakeClock();
  const book = new SmallBook([node('n1')]);
  const reservation = promiseIn(book, clock);
  const writer = new SmallWriter(book);
  const refusal = { why: 'does-not-fit' as Refused['why'], messages: ['n2 has 1 of 2 cores'] };
  const reconciler = replan({
    book,
    cache: { hold: (attempt) => book.setReservation(attempt) },
    decide: (...question) => {
      const decision = book.decide(...question);
      if (decision.kind === 'plan') return decision;
      return { kind: 'refused', why: refusal.why, reasons: refusal.messages.map((message) => ({ code: 'NoRoom', message })) };
    },
    clock,
    writer: async () => writer,
  });
  const look = async () => {
    const { kind } = await reconciler.reconcile(reservation.name, new AbortController().signal);
    return [kind, ...(book.reservation(reservation.name)?.conditions ?? []).map(({ message }) => message)];
  };
  return { clock, book, reservation, writer, refusal, look };
}

describe('a plan that no longer fits', () => {
  it('is said to be the only one until another is found', async () => {
    const { book, look } = world();
    expect(await look()).toEqual(['done']);
    book.removeNode('n1');
    expect(await look()).toEqual(['again', 'its plan no longer fits, and there is no other: n2 has 1 of 2 cores']);
    book.setNode(node('n3'));
    expect(await look()).toEqual(['done']);
  });

  it('is not replaced by one who lost the lease meanwhile, and may not know what others promised', async () => {
    const { book, reservation, writer, look } = world();
    book.removeNode('n1');
    book.setNode(node('n3'));
    writer.isLost = true;
    await expect(look()).rejects.toThrow('the lease is lost');
    expect(writer.writes).toBe(0);
    book.setReservation(reservation);
    writer.isLost = false;
    expect([...(await look()), writer.writes]).toEqual(['done', 1]);
  });

  it('no longer matters once there is a lease', async () => {
    const { book, reservation, look } = world();
    book.removeNode('n1');
    expect(await look()).toHaveLength(2);
    book.setReservation({ ...(book.reservation(reservation.name) ?? reservation), phase: 'active', expiresAt: undefined });
    expect(await look()).toEqual(['done']);
  });

  it('is not said to be the only one when the search was ended', async () => {
    const { book, refusal, look } = world();
    book.removeNode('n1');
    refusal.why = 'not-found';
    expect(await look()).toEqual([
      'again',
      'its plan no longer fits, and no other was found, though there may be one: n2 has 1 of 2 cores',
    ]);
  });

  it('is told in a few words, and again once a minute at most', async () => {
    const { clock, book, refusal, writer, look } = world();
    book.removeNode('n1');
    refusal.messages = Array.from({ length: 5_000 }, (_, at) => `n${at} has 1 of 2 cores${' or so'.repeat(100)}`);
    const [, message = ''] = await look();
    expect([message.length < 1_200, message.endsWith('… (and 4990 more)')]).toEqual([true, true]);
    for (let time = 0; time < 10; time += 1) {
      refusal.messages = [`n2 has ${time} of 99 cores`];
      await clock.advance(5_000);
      await look();
    }
    expect(writer.writes).toBe(1);
    await clock.advance(10_000);
    expect(await look()).toEqual(['again', 'its plan no longer fits, and there is no other: n2 has 9 of 99 cores']);
    expect(writer.writes).toBe(2);
  });
});
