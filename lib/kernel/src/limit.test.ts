import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { limit } from './limit.ts';

describe('limit', () => {
  it('runs so many at a time, the others in their order, also after a failure', async () => {
    const run = limit(2);
    const started: number[] = [];
    const finish: (() => void)[] = [];
    const works = [0, 1, 2, 3].map((index) =>
      run(async () => {
        started.push(index);
        await new Promise<void>((resolve, reject) => {
          finish[index] = index === 0 ? () => reject(new Error('zero')) : resolve;
        });
      }),
    );
    const failed = works[0]?.catch((thrown: unknown) => thrown);
    expect(started).toEqual([0, 1]);
    finish[0]?.();
    expect(await failed).toEqual(new Error('zero'));
    expect(started).toEqual([0, 1, 2]);
    finish[1]?.();
    await works[1];
    expect(started).toEqual([0, 1, 2, 3]);
    finish[2]?.();
    finish[3]?.();
    await Promise.all(works.slice(2));
  });

  it('tells who waited too long, and gives the turn to the next', async () => {
    const clock = new FakeClock();
    const run = limit(1, { clock, waitMs: 1_000, message: 'too many; try again' });
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = run(() => promise);
    const second = run(async () => 'second').catch((thrown: unknown) => thrown);
    await clock.advance(500);
    const third = run(async () => 'third');
    await clock.advance(500);
    expect(await second).toMatchObject({ code: 'unavailable', message: 'too many; try again' });
    resolve();
    expect(await third).toBe('third');
    await first;
    expect(clock.pendingTimers).toBe(0);
  });
});
