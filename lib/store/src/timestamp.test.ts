import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTimestamp, parseTimestamp, timestampToDate } from './timestamp.ts';

const timestamps = fc.record({
  seconds: fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }),
  nanos: fc.integer({ min: 0, max: 999_999_999 }),
});

describe('timestamps', () => {
  it.each([
    ['2026-11-15 12:05:28.123456+00', { seconds: 1_794_744_328n, nanos: 123_456_000 }],
    ['2026-11-15 12:05:28+00', { seconds: 1_794_744_328n, nanos: 0 }],
    ['2026-11-15 17:35:28.5+05:30', { seconds: 1_794_744_328n, nanos: 500_000_000 }],
    ['2026-11-15 04:05:28-08', { seconds: 1_794_744_328n, nanos: 0 }],
    ['1969-12-31 23:59:59.999999+00', { seconds: -1n, nanos: 999_999_000 }],
    ['0001-01-01 00:00:00+00', { seconds: -62_135_596_800n, nanos: 0 }],
    ['2026-11-15T12:05:28.000000001Z', { seconds: 1_794_744_328n, nanos: 1 }],
  ])('reads %s to the last digit', (text, expected) => {
    expect(parseTimestamp(text)).toEqual(expected);
  });

  it.each(['infinity', '-infinity', '0044-03-15 00:00:00+00 BC', '2026-13-01 00:00:00+00', ''])('refuses %s', (text) => {
    expect(() => parseTimestamp(text)).toThrow(RangeError);
  });

  it('reads back exactly what it wrote', () => {
    fc.assert(
      fc.property(timestamps, (timestamp) => {
        expect(parseTimestamp(formatTimestamp(timestamp))).toEqual(timestamp);
      }),
    );
  });

  it('cuts to the millisecond for a Date, before 1970 too', () => {
    expect(timestampToDate({ seconds: -1n, nanos: 999_999_999 }).getTime()).toBe(-1);
    expect(timestampToDate({ seconds: 1n, nanos: 1_999_999 }).getTime()).toBe(1_001);
  });
});
