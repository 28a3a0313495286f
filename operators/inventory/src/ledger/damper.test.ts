import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Damper } from './damper.ts';

describe('Damper', () => {
  it('falls at once, and rises within two seconds when the higher level lasts', () => {
    const damper = new Damper(8, 0);
    expect(damper.set(7, 1000)).toBe(true);
    expect(damper.level).toBe(7);
    expect(damper.set(8, 5000)).toBe(false);
    expect(damper.dueAt).toBe(6500);
    expect(damper.settle(6499)).toBe(false);
    expect(damper.settle(6500)).toBe(true);
    expect(damper.level).toBe(8);
    expect(damper.dueAt).toBeUndefined();
  });

  it('rests at the lower level while it flaps every second, and is told of at most twice in a minute', () => {
    const damper = new Damper(8, 0);
    let changes = 0;
    for (let second = 1; second <= 60; second += 1) if (damper.set(second % 2 === 0 ? 8 : 7, second * 1000)) changes += 1;
    expect(changes).toBeLessThanOrEqual(2);
    expect(damper.level).toBe(7);
  });

  it('lets a second rise within a minute wait until there was calm for a minute', () => {
    const damper = new Damper(1, 0);
    damper.set(0, 1000);
    damper.set(1, 2000);
    damper.settle(3500);
    damper.set(0, 10_000);
    damper.set(1, 11_000);
    expect(damper.settle(70_999)).toBe(false);
    expect(damper.settle(71_000)).toBe(true);
  });

  it('is never above what it was last told, rises at most once in a minute, and gets there in the end', () => {
    const steps = fc.array(fc.record({ level: fc.integer({ min: 0, max: 8 }), afterMs: fc.integer({ min: 0, max: 30_000 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (sequence) => {
        const damper = new Damper(8, 0);
        const rises: number[] = [];
        let [now, last] = [0, 8];
        const note = (before: number) => {
          if (damper.level > before) rises.push(now);
        };
        for (const { level, afterMs } of sequence) {
          now += afterMs;
          const before = damper.level;
          damper.settle(now);
          note(before);
          damper.set(level, now);
          last = level;
          expect(damper.level).toBeLessThanOrEqual(level);
        }
        const before = damper.level;
        now += 60_000;
        damper.settle(now);
        note(before);
        expect(damper.level).toBe(last);
        for (const [i, at] of rises.entries()) expect(at - (rises[i - 1] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(60_000);
      }),
    );
  });
});
