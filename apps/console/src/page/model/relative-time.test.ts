import { describe, expect, it } from 'vitest';
import { formatAgo, formatDuration, formatMoment } from './relative-time.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe('relative times', () => {
  it.each([
    [0, '0 s'],
    [999, '0 s'],
    [59 * second, '59 s'],
    [minute, '1 min'],
    [59 * minute + 59 * second, '59 min'],
    [hour, '1 h'],
    [47 * hour, '47 h'],
    [2 * day, '2 d'],
    [400 * day, '400 d'],
    [-5 * second, '0 s'],
  ])('says %i ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('says just now within the first second, also when the clocks disagree a little', () => {
    expect(formatAgo(1000, 1999)).toBe('just now');
    expect(formatAgo(2000, 1000)).toBe('just now');
    expect(formatAgo(1000, 3000)).toBe('2 s ago');
  });

  it('names the moment in the time zone of the reader', () => {
    expect(formatMoment(new Date(2026, 10, 5, 7, 2, 3).getTime())).toBe('2026-11-05 07:02:03');
  });
});
