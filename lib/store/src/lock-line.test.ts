import { FakeClock } from '@quartermaster/kernel';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LockLine } from './lock-line.ts';

const patience = { clock: new FakeClock(), waitMs: 1_000, message: 'busy; try again' };

describe('work that needs the same locks', () => {
  it('is done one after the other, in the order in which it came', async () => {
    const line = new LockLine(patience);
    const told: string[] = [];
    const work = (name: string) => async () => {
      told.push(`${name} begins`);
      await Promise.resolve();
      told.push(`${name} ends`);
    };
    await Promise.all([line.run(['x'], work('a')), line.run(['x'], work('b')), line.run(['x'], work('c'))]);
    expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('does not wait for work that needs others', async () => {
    const line = new LockLine(patience);
    const { promise, resolve } = Promise.withResolvers<void>();
    const held = line.run(['x'], () => promise);
    expect(await line.run(['y'], async () => 'done')).toBe('done');
    resolve();
    await held;
  });

  it('goes on after a failure, which only its own caller is told of', async () => {
    const line = new LockLine(patience);
    const failing = line.run(['x'], async () => {
      throw new Error('no');
    });
    const next = line.run(['x'], async () => 'done');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
  });

  it('is refused where it has waited too long, and is not done; those behind it still wait for those before it', async () => {
    const { clock } = patience;
    const line = new LockLine(patience);
    const told: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = line.run(['x'], async () => {
      await promise;
      told.push('first');
    });
    const second = line.run(['x', 'y'], async () => told.push('second')).catch((thrown: unknown) => thrown);
    await clock.advance(500);
    const third = line.run(['y'], async () => told.push('third'));
    await clock.advance(500);
    expect(await second).toMatchObject({ code: 'unavailable', message: 'busy; try again' });
    expect(told).toEqual([]);
    resolve();
    await Promise.all([first, third]);
    expect(told).toEqual(['first', 'third']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('never has two at a time that share a lock, and all of it is done', async () => {
    const works = fc.array(fc.record({ locks: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 4 }), steps: fc.nat(4) }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(works, async (all) => {
        const line = new LockLine(patience);
        const held = new Set<string>();
        let done = 0;
        await Promise.all(
          all.map(({ locks, steps }) =>
            line.run(locks, async () => {
              for (const lock of new Set(locks)) expect(held.has(lock)).toBe(false);
              for (const lock of locks) held.add(lock);
              for (let step = 0; step < steps; step += 1) await Promise.resolve();
              for (const lock of locks) held.delete(lock);
              done += 1;
            }),
          ),
        );
        expect(done).toBe(all.length);
      }),
    );
  });
});
