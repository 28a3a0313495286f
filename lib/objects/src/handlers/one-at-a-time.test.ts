import { describe, expect, it } from 'vitest';
import { OneAtATime } from './one-at-a-time.ts';

describe('work on the same thing', () => {
  it('is done one after the other, in the order in which it came', async () => {
    const queue = new OneAtATime();
    const told: string[] = [];
    const work = (name: string) => async () => {
      told.push(`${name} begins`);
      await Promise.resolve();
      told.push(`${name} ends`);
    };
    await Promise.all([queue.run('x', work('a')), queue.run('x', work('b')), queue.run('x', work('c'))]);
    expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('does not wait for work on other things', async () => {
    const queue = new OneAtATime();
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = queue.run('x', () => promise);
    expect(await queue.run('y', async () => 'done')).toBe('done');
    resolve();
    await held;
  });

  it('goes on after a failure, which only its own caller is told of', async () => {
    const queue = new OneAtATime();
    const failing = queue.run('x', async () => {
      throw new Error('no');
    });
    const next = queue.run('x', async () => 'done');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
  });
});
