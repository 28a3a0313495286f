import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommitLevel, promisable, requestFor } from './commit-level.ts';

const level = (text: string) => parseCommitLevel(text, 'cpu-commit-level');

describe('a commit level', () => {
  it.each([
    ['1', 1000, 1000],
    ['1.0', 1000, 1000],
    ['1.5', 1000, 667],
    ['1.1', 11, 10],
    ['1.1', 12, 11],
    ['3', 1, 1],
    ['2.5', 10, 4],
  ])('of %s makes %d a request of %d', (text, amount, request) => {
    expect(requestFor(amount, level(text))).toBe(request);
  });

  it.each(['', '0.9', '-1', '0', 'x', '1e3', '1.', '.5', '1,5', 'Infinity'])(
    'is not "%s"; the error names the setting and the rule',
    (text) => {
      expect(() => level(text)).toThrow(/cpu-commit-level.*at least 1/);
    },
  );

  it('loses nothing to rounding: requests are the least whole numbers that hold the amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 52 }), fc.integer({ min: 100, max: 999 }), (amount, hundredths) => {
        const request = BigInt(requestFor(amount, level(`${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`)));
        expect(request * BigInt(hundredths) >= BigInt(amount) * 100n).toBe(true);
        expect((request - 1n) * BigInt(hundredths) < BigInt(amount) * 100n).toBe(true);
      }),
    );
  });

  it('lets so much be promised of usable bytes', () => {
    expect(promisable(10, level('1.25'))).toBe(12);
    expect(promisable(10, level('1'))).toBe(10);
  });
});
