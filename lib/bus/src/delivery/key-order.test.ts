import { StatusError } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyOrder } from './key-order.ts';

const never = new AbortController().signal;

describe('KeyOrder', () => {
  it('runs tasks of one key in the order in which they came, whatever they take and whether they fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.boolean())), async (scheduler, tasks) => {
        const order = new KeyOrder();
        const running = new Set<string>();
        const ended = new Map<string, number[]>([
          ['a', []],
          ['b', []],
        ]);
        const run = (key: string, fails: boolean, i: number): Promise<number> =>
          order.run(
            key,
            async () => {
              expect(running).not.toContain(key);
              running.add(key);
              await scheduler.schedule(Promise.resolve());
              running.delete(key);
              ended.get(key)?.push(i);
              if (fails) throw new Error(`task ${i}`);
              return i;
            },
            never,
          );
        await scheduler.waitFor(Promise.allSettled(tasks.map(([key, fails], i) => run(key, fails, i))));
        for (const numbers of ended.values()) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        expect([...ended.values()].flat()).toHaveLength(tasks.length);
      }),
    );
  });

  it('ends a task that gives up before its turn at once, and those behind it still wait for the first', async () => {
    const order = new KeyOrder();
    const first = Promise.withResolvers<void>();
    const ran: number[] = [];
    const stop = new AbortController();
    const one = order.run('k', () => first.promise.then(() => ran.push(1)), never);
    const two = order.run('k', async () => ran.push(2), stop.signal).catch((error: unknown) => error);
    const three = order.run('k', async () => ran.push(3), never);
    stop.abort(new StatusError('unavailable', 'too long'));
    expect(await two).toMatchObject({ code: 'unavailable', message: 'too long: earlier messages of the same key are waiting as well' });
    expect(ran).toEqual([]);
    first.resolve();
    await Promise.all([one, three]);
    expect(ran).toEqual([1, 3]);
  });
});
