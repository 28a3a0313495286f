import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLater, stampedLine } from './log-line.ts';

describe('a line of a log', () => {
  it.each([
    ['2026-01-01T00:00:00.123456789Z hello world', '2026-01-01T00:00:00.123456789Z', 'hello world'],
    ['2026-01-01T00:00:00Z ', '2026-01-01T00:00:00Z', ''],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', ''],
    ['2026-01-01T02:00:00.5+02:00  two blanks', '2026-01-01T02:00:00.5+02:00', ' two blanks'],
    ['2026-01-01T00:00:00Z 2025-01-01T00:00:00Z its own', '2026-01-01T00:00:00Z', '2025-01-01T00:00:00Z its own'],
    ['the rest of a long one', undefined, 'the rest of a long one'],
    ['2026-01-01 00:00:00 no stamp', undefined, '2026-01-01 00:00:00 no stamp'],
    ['', undefined, ''],
  ])('is read from "%s"', (line, stamp, text) => {
    expect(stampedLine(line)).toEqual({ stamp, text });
  });
});

describe('a stamp', () => {
  it('is later than another to the nanosecond, however it is written', () => {
    const nanoseconds = fc.bigInt({ min: 0n, max: 10n ** 19n });
    const near = fc.tuple(nanoseconds, fc.bigInt({ min: 0n, max: 2_000_000n })).map(([at, more]) => [at, at + more] as const);
    fc.assert(
      fc.property(fc.oneof(near, fc.tuple(nanoseconds, nanoseconds)), fc.boolean(), ([a, b], isShort) => {
        const [one, other] = [stampOf(a, isShort), stampOf(b, !isShort)];
        expect([isLater(one, other), isLater(other, one)]).toEqual([a > b, b > a]);
      }),
    );
  });

  it('is the same in another zone', () => {
    expect(isLater('2026-01-01T02:00:00.000000002+02:00', '2026-01-01T00:00:00.000000001Z')).toBe(true);
    expect(isLater('2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00.000Z')).toBe(false);
  });
});

/** As Go writes it: without zeros at the end, or with all of them. */
function stampOf(nanoseconds: bigint, isShort: boolean): string {
  const seconds = new Date(Number(nanoseconds / 10n ** 9n) * 1000).toISOString().slice(0, 19);
  const fraction = String(nanoseconds % 10n ** 9n).padStart(9, '0');
  const short = fraction.replace(/0+$/, '');
  if (!isShort) return `${seconds}.${fraction}Z`;
  return short === '' ? `${seconds}Z` : `${seconds}.${short}Z`;
}
