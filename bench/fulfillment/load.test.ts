import { describe, expect, it } from 'vitest';
import { beside, percentile } from './load.ts';

describe('calls beside a work', () => {
  it('are made until it is done, no more of them at once than there are callers', async () => {
    const done = Promise.withResolvers<string>();
    let [made, open, most] = [0, 0, 0];
    const call = async (): Promise<void> => {
      made += 1;
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      open -= 1;
      if (made === 10) done.resolve('done');
    };
    const { result, perSecond } = await beside(() => done.promise, call, { callers: 2, perSecond: 2_000 });
    expect([result, made, most, open]).toEqual(['done', expect.toSatisfy((count: number) => count === 10 || count === 11), 2, 0]);
    expect(perSecond).toBeGreaterThan(0);
  });

  it('fail it when they fail', async () => {
    const work = Promise.withResolvers<void>();
    const refused = beside(
      () => work.promise,
      () => Promise.reject(new Error('refused')),
      { callers: 1, perSecond: 100 },
    );
    await expect(refused).rejects.toThrow('refused');
    work.resolve();
  });
});

describe('a percentile', () => {
  const values = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => count - index);

  it.each([
    [100, 0.99, 99],
    [101, 0.99, 100],
    [1_000, 0.99, 990],
    [4, 0.5, 2],
    [5, 0.5, 3],
    [1, 0.99, 1],
    [10, 1, 10],
  ])('of 1 to %i at %f is %i', (count, share, expected) => {
    expect(percentile(values(count), share)).toBe(expected);
  });

  it('of nothing is no number', () => {
    expect(percentile([], 0.99)).toBeNaN();
  });
});
