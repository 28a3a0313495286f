import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyOrder } from './key-order.ts';

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
        const results = tasks.map(([key, fails], i) =>
          order.run(key, async () => {
            expect(running).not.toContain(key);
            running.add(key);
            await scheduler.schedule(Promise.resolve());
            running.delete(key);
            ended.get(key)?.push(i);
            if (fails) throw new Error(`task ${i}`);
            return i;
          }),
        );
        await scheduler.waitFor(Promise.allSettled(results));
        for (const numbers of ended.values()) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        expect([...ended.values()].flat()).toHaveLength(tasks.length);
      }),
    );
  });
});
