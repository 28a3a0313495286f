import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duration, formatDuration, parseDuration } from './setting-types.ts';

describe('durations', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['500ms', 500],
    ['10s', 10_000],
    ['1.5s', 1500],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
  ])('reads %s as %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '5', 's', '-5s', '5 s', '5S', '1h 30m', '5y', 'Infinitys', '1..5s'])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('reads what it prints', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });

  it('keeps to its limits and names them', () => {
    const schema = duration({ min: '1s', max: '1m' });
    expect(schema.parse('30s')).toBe(30_000);
    expect(schema.safeParse('1ms').error?.issues[0]?.message).toBe('must be at least 1s');
    expect(schema.safeParse('2h').error?.issues[0]?.message).toBe('must be at most 1m');
    expect(() => duration({ min: 'soon' })).toThrow('must be a duration');
  });
});
