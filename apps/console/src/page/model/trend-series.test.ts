import { describe, expect, it } from 'vitest';
import { trendSeries } from './trend-series.ts';

describe('trendSeries', () => {
  it('lays the parts on each other, from the whole down', () => {
    const { times, tops } = trendSeries([{ at: 10_000, cpu: [1, 2, 3, 4] }], 'cpu');
    expect(times).toEqual([10]);
    expect(tops).toEqual([[10], [6], [3], [1]]);
  });

  it('shows a sample that says nothing as a gap, and time without samples too', () => {
    const samples = [{ at: 60_000, cpu: [3, 0, 0, 0] as const }, { at: 0, cpu: [1, 0, 0, 0] as const }, { at: 10_000 }];
    const { tops, exact } = trendSeries(samples, 'cpu');
    expect(tops.at(-1)).toEqual([1, null, null, 3]);
    expect(exact).toEqual([[1, 0, 0, 0], undefined, undefined, [3, 0, 0, 0]]);
  });
});
