import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { KeptTotal } from './kept-total.ts';
import { KeptTotals } from './kept-totals.ts';

function start() {
  const clock = new FakeClock();
  const pool = { lost: 0 };
  const totals = new KeptTotals({ clock, figures: () => pool });
  let reads = 0;
  /** Tells of a count so often. */
  const readOf = (condition: string, size: number) => async (): Promise<KeptTotal> => {
    reads += 1;
    return new KeptTotal(
      '1:1:',
      Array.from({ length: size }, (_, index) => `${condition}-${index}`),
    );
  };
  const count = async (condition: string, times: number, total = 1_000): Promise<void> => {
    for (let time = 0; time < times; time += 1) await totals.counted(condition, total, readOf(condition, total));
  };
  return { clock, pool, totals, count, reads: () => reads };
}

describe('kept totals', () => {
  it('are those that are counted again and again', async () => {
    const { clock, totals, count } = start();
    await count('often', 2);
    expect(totals.find('often')).toBeUndefined();
    await count('often', 1);
    expect(totals.find('often')?.size).toBe(1_000);
    await count('seldom', 2);
    await clock.advance(31_000);
    await count('seldom', 1);
    expect(totals.find('seldom')).toBeUndefined();
  });

  it('are not those that are faster counted, nor those that would fill the memory', async () => {
    const { totals, count, reads } = start();
    await count('small', 5, 499);
    await count('huge', 5, 500_001);
    expect([totals.find('small'), totals.find('huge'), reads()]).toEqual([undefined, undefined, 0]);
  });

  it('are forgotten when nobody asks for them, and when a connection was lost since', async () => {
    const { clock, pool, totals, count } = start();
    await count('a', 3);
    await clock.advance(20_000);
    expect(totals.find('a')).toBeDefined();
    await clock.advance(20_000);
    expect(totals.find('a')).toBeDefined();
    await clock.advance(31_000);
    expect(totals.find('a')).toBeUndefined();
    await count('b', 3);
    pool.lost += 1;
    expect(totals.find('b')).toBeUndefined();
  });

  it('make room for the newest, those that were used longest ago first', async () => {
    const { clock, totals, count } = start();
    await count('a', 3, 200_000);
    await count('b', 3, 200_000);
    await clock.advance(11_000);
    expect(totals.find('a')).toBeDefined();
    await count('c', 3, 200_000);
    expect(['a', 'b', 'c'].filter((condition) => totals.find(condition) !== undefined)).toEqual(['a', 'c']);
  });

  it('are not read in turn where only one of two that are in use has room', async () => {
    const { clock, totals, reads, count } = start();
    const uses = new Map([
      ['a', 0],
      ['b', 0],
    ]);
    for (let second = 0; second < 60; second += 1) {
      for (const [condition, used] of uses) {
        if (totals.find(condition) === undefined) await count(condition, 1, 300_000);
        else uses.set(condition, used + 1);
      }
      await clock.advance(1_000);
    }
    expect(reads()).toBe(1);
    expect([...uses.values()]).toEqual([57, 0]);
    // Nobody uses the one any more.
    await clock.advance(11_000);
    await count('b', 3, 300_000);
    expect([totals.find('a'), totals.find('b')?.size]).toEqual([undefined, 300_000]);
  });

  it('are read by one of those who ask at a time', async () => {
    const { totals, reads, count } = start();
    await count('a', 2);
    await Promise.all([count('a', 1), count('a', 1), count('a', 1)]);
    expect([reads(), totals.find('a')?.size]).toEqual([1, 1_000]);
  });

  it('are not read again at once when they change too fast to be carried forward', async () => {
    const { clock, totals, reads, count } = start();
    await count('a', 3);
    totals.forget('a');
    await count('a', 10);
    expect([reads(), totals.find('a')]).toEqual([1, undefined]);
    await clock.advance(5_000);
    await count('a', 1);
    expect([reads(), totals.find('a')?.size]).toEqual([2, 1_000]);
    // One that was carried forward for a while is: a burst of changes is no habit.
    await clock.advance(5_000);
    totals.forget('a');
    await count('a', 3);
    expect(reads()).toBe(3);
  });

  it('are read again after a failure when they were counted as often once more', async () => {
    const { totals, count } = start();
    await count('a', 2);
    await totals.counted('a', 1_000, () => Promise.reject(new Error('all connections are in use')));
    await count('a', 2);
    expect(totals.find('a')).toBeUndefined();
    await count('a', 1);
    expect(totals.find('a')?.size).toBe(1_000);
  });
});
