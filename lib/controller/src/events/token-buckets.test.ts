import { FakeClock } from '@quartermaster/kernel';
import { expect, it } from 'vitest';
import { TokenBuckets } from './token-buckets.ts';

it('admits a burst per key, then one per refill, and never saves up more than the burst', async () => {
  const clock = new FakeClock();
  const buckets = new TokenBuckets({ burst: 3, refillIntervalMs: 1000, maxKeys: 10, clock });
  const take = (key: string, times: number) => Array.from({ length: times }, () => buckets.take(key)).filter(Boolean).length;
  expect(take('a', 5)).toBe(3);
  expect(take('b', 1)).toBe(1);
  await clock.advance(999);
  expect(take('a', 1)).toBe(0);
  await clock.advance(1);
  expect(take('a', 5)).toBe(1);
  await clock.advance(60_000);
  expect(take('a', 9)).toBe(3);
});

it('forgets the key unused for longest beyond its limit', () => {
  const buckets = new TokenBuckets({ burst: 1, refillIntervalMs: 1000, maxKeys: 2, clock: new FakeClock() });
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map((key) => buckets.take(key))).toEqual([true, true, false, true, false, true]);
  expect(buckets.size).toBe(2);
});
