import { describe, expect, it } from 'vitest';
import { OrderTurns } from './order-turns.ts';

function work(): { readonly run: () => Promise<void>; readonly end: () => void; readonly begun: () => boolean } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasBegun = false;
  return {
    run: () => {
      hasBegun = true;
      return promise;
    },
    end: resolve,
    begun: () => hasBegun,
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the turns of orders', () => {
  it('are one at a time for an order, in the order in which they came, and beside each other for others', async () => {
    const turns = new OrderTurns({ atOnce: 2, maxCalls: 10 });
    const [first, second, other, third] = [work(), work(), work(), work()];
    const all = [turns.call('a', first.run), turns.call('a', second.run), turns.call('b', other.run), turns.call('c', third.run)];
    await settled();
    expect([first, second, other, third].map(({ begun }) => begun())).toEqual([true, false, true, false]);
    first.end();
    await settled();
    expect([second.begun(), third.begun()]).toContain(true);
    expect(turns.isBusy('a')).toBe(true);
    for (const { end } of [second, other, third]) end();
    await Promise.all(all);
    expect(['a', 'b', 'c'].map((order) => turns.isBusy(order))).toEqual([false, false, false]);
  });

  it('are refused when too many wait, and go on after that; what must be done is not refused', async () => {
    const turns = new OrderTurns({ atOnce: 1, maxCalls: 2 });
    const [first, second, duty] = [work(), work(), work()];
    const all = [turns.call('a', first.run), turns.call('a', second.run)];
    await expect(turns.call('b', async () => {})).rejects.toMatchObject({ code: 'resource_exhausted', details: { retryAfterMs: 1_000 } });
    all.push(turns.run('b', duty.run));
    for (const { end } of [first, second, duty]) end();
    await Promise.all(all);
    await expect(turns.call('b', async () => 'done')).resolves.toBe('done');
  });

  it('are not taken by a caller that has gone, and a failure does not keep the next one', async () => {
    const turns = new OrderTurns({ atOnce: 1, maxCalls: 3 });
    const ending = new AbortController();
    const first = work();
    const failing = turns.call('a', async () => {
      await first.run();
      throw new Error('broken');
    });
    const gone = work();
    const waiting = turns.call('a', gone.run, ending.signal);
    ending.abort(new Error('gone'));
    first.end();
    await expect(failing).rejects.toThrow('broken');
    await expect(waiting).rejects.toThrow('gone');
    expect(gone.begun()).toBe(false);
  });
});
