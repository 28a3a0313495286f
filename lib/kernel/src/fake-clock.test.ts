import { describe, expect, it } from 'vitest';
import { sleep } from './clock.ts';
import { FakeClock } from './fake-clock.ts';

describe('FakeClock', () => {
  it('stands still until it is moved', async () => {
    const clock = new FakeClock(1000);
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1250, 250]);
  });

  it('moves the wall clock alone when skewed', async () => {
    const clock = new FakeClock(1000);
    let fired = false;
    clock.schedule(100, () => {
      fired = true;
    });
    clock.skewWall(-500);
    expect([clock.now(), clock.monotonic()]).toEqual([500, 0]);
    clock.skewWall(10_000);
    await clock.advance(99);
    expect(fired).toBe(false);
  });

  it('fires timers in order of their time, then of their making, each at its own time', async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    for (const [name, afterMs] of [
      ['late', 30],
      ['early', 10],
      ['early too', 10],
      ['at once', -5],
    ] as const) {
      clock.schedule(afterMs, () => fired.push(`${name} at ${clock.monotonic()}`));
    }
    await clock.advance(30);
    expect(fired).toEqual(['at once at 0', 'early at 10', 'early too at 10', 'late at 30']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires timers that timers made within the same move', async () => {
    const clock = new FakeClock();
    const fired: number[] = [];
    const again = (): void => {
      fired.push(clock.monotonic());
      clock.schedule(10, again);
    };
    clock.schedule(10, again);
    await clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
    expect(clock.pendingTimers).toBe(1);
  });

  it('lets awaiting code run between timers', async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const loop = (async () => {
      for (let i = 0; i < 3; i += 1) {
        await sleep(clock, 10);
        seen.push(clock.monotonic());
      }
    })();
    await clock.advance(100);
    await loop;
    expect(seen).toEqual([10, 20, 30]);
  });

  it('does not fire what was cancelled', async () => {
    const clock = new FakeClock();
    let fired = false;
    const cancel = clock.schedule(10, () => {
      fired = true;
    });
    cancel();
    cancel();
    await clock.advance(20);
    expect(fired).toBe(false);
  });

  it.each([-1, Number.NaN])('refuses to move by %d', async (byMs) => {
    const clock = new FakeClock();
    await expect(clock.advance(byMs)).rejects.toThrow(RangeError);
    expect(clock.monotonic()).toBe(0);
  });
});
