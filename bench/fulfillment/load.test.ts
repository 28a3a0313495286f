import { describe, expect, it } from 'vitest';
import { beside } from './load.ts';

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
