import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Backoff, type BackoffOptions, backoffMs, defaultBackoff } from './backoff.ts';
import { type Random, seededRandom } from './random.ts';

const options: BackoffOptions = { firstMs: 100, maxMs: 1000, factor: 2 };
const fixed = (value: number): Random => ({ next: () => value, fill: (bytes) => bytes });
const almostOne = 1 - 2 ** -52;

describe('backoffMs', () => {
  it('doubles up to the longest wait', () => {
    expect([1, 2, 3, 4, 5, 6].map((failures) => backoffMs(failures, options, fixed(almostOne)))).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it('waits at least half of it', () => {
    expect([1, 2, 3, 4, 5, 6].map((failures) => backoffMs(failures, options, fixed(0)))).toEqual([50, 100, 200, 400, 500, 500]);
  });

  it('treats fewer than one failure as the first', () => {
    expect(backoffMs(0, options, fixed(0))).toBe(backoffMs(1, options, fixed(0)));
    expect(backoffMs(-5, options, fixed(0))).toBe(backoffMs(1, options, fixed(0)));
  });

  it('stays between half of the first wait and the longest, after any number of failures', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer(), (failures, seed) => {
        const wait = backoffMs(failures, defaultBackoff, seededRandom(seed));
        expect(wait).toBeGreaterThanOrEqual(defaultBackoff.firstMs / 2);
        expect(wait).toBeLessThanOrEqual(defaultBackoff.maxMs);
        expect(Number.isInteger(wait)).toBe(true);
      }),
    );
  });

  it('spreads clients that failed together', () => {
    const random = seededRandom(3);
    const waits = new Set(Array.from({ length: 100 }, () => backoffMs(10, defaultBackoff, random)));
    expect(waits.size).toBeGreaterThan(90);
  });
});

describe('Backoff', () => {
  it('grows with each failure and starts anew after a success', () => {
    const backoff = new Backoff(options, fixed(0));
    expect(backoff.failures).toBe(0);
    expect([backoff.nextMs(), backoff.nextMs(), backoff.nextMs()]).toEqual([50, 100, 200]);
    expect(backoff.failures).toBe(3);
    backoff.reset();
    expect(backoff.failures).toBe(0);
    expect(backoff.nextMs()).toBe(50);
  });
});
