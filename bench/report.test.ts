import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatJson, formatTable, measure, median, round } from './report.ts';

const list = measure({
  what: 'list',
  ours: [70_000, 61_234.5, 50_000],
  baseline: [20_411.5, 20_000, 30_000],
  unit: '/s',
  better: 'higher',
});
const rss = measure({ what: 'rss', ours: [200], baseline: [1000], unit: 'MB', better: 'lower' });

describe('measure', () => {
  it('says how many times higher ours is where higher is better', () => {
    expect(list).toMatchObject({ what: 'list', ours: 61_235, baseline: 20_412, ratio: 3, unit: '/s', better: 'higher' });
  });

  it('says between which values the rounds were', () => {
    expect(list).toMatchObject({ rounds: 3, oursRange: [50_000, 70_000], baselineRange: [20_000, 30_000] });
  });

  it('says how many times lower ours is where lower is better', () => {
    expect(rss.ratio).toBe(5);
  });

  it('has no ratio where there is nothing to compare with', () => {
    const alone = measure({ what: 'start', ours: [12.345], baseline: null, unit: 's', better: 'lower' });
    expect(alone).toMatchObject({
      what: 'start',
      ours: 12.3,
      baseline: null,
      baselineRange: null,
      ratio: null,
      unit: 's',
      better: 'lower',
    });
    expect(() => measure({ what: 'start', ours: [0], baseline: null, unit: 's', better: 'lower' })).toThrow(/measure start: ours is 0/);
  });

  it('is not lost because a cost that is a difference came out below zero in a round', () => {
    const cost = measure({ what: 'event-cost', ours: [59, -9, 55], baseline: null, unit: 'µs', better: 'lower' });
    expect(cost).toMatchObject({ ours: 55, oursRange: [-9, 59] });
    expect(() => measure({ what: 'event-cost', ours: [-1, -9, 55], baseline: null, unit: 'µs', better: 'lower' })).toThrow(
      /median above zero/,
    );
  });

  it('is below 1 when ours is worse', () => {
    expect(measure({ what: 'stall', ours: [80], baseline: [20], unit: 'ms', better: 'lower' }).ratio).toBe(0.25);
  });

  it('computes the ratio before it rounds', () => {
    expect(measure({ what: 'stall', ours: [0.0014], baseline: [0.0014], unit: 'ms', better: 'lower' }).ratio).toBe(1);
    expect(measure({ what: 'list', ours: [100.4], baseline: [99.6], unit: '/s', better: 'higher' }).ratio).toBe(1.01);
  });

  it.each([
    ['higher', 5, 0],
    ['lower', 0, 5],
    ['higher', Number.NaN, 5],
    ['lower', 5, Number.POSITIVE_INFINITY],
  ] as const)('refuses values without a ratio (%s is better, ours %d, baseline %d)', (better, ours, baseline) => {
    expect(() => measure({ what: 'list', ours: [1, ours, ours], baseline: [1, baseline, baseline], unit: '/s', better })).toThrow(
      /measure list: .* both must be finite/,
    );
  });
});

describe('median', () => {
  it('is the value in the middle, and between the two there when their number is even', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([5]), median([])]).toEqual([2, 2.5, 5, Number.NaN]);
  });
});

describe('round', () => {
  it('keeps three significant digits and every digit of a whole number', () => {
    expect([0.012345, 1.2345, 12.345, 123.45, 12_345.6].map(round)).toEqual([0.0123, 1.23, 12.3, 123, 12_346]);
  });

  it('never moves a value by more than half a percent', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (value) => {
        expect(Math.abs(round(value) - value)).toBeLessThanOrEqual(value * 0.005 + Number.EPSILON);
      }),
    );
  });
});

describe('a report', () => {
  it('is a table with aligned columns for people', () => {
    expect(formatTable({ bench: 'reflector', measures: [list, rss] }).split('\n')).toEqual([
      'reflector',
      'measure   ours      min to max  baseline      min to max  unit  rounds  times better',
      'list     61235  50000 to 70000     20412  20000 to 30000  /s         3           x 3',
      'rss        200      200 to 200      1000    1000 to 1000  MB         1           x 5',
    ]);
  });

  it('names the sides otherwise when told', () => {
    expect(formatTable({ bench: 'reflector', measures: [rss] }, ['here', 'there']).split('\n')[1]).toMatch(
      /^measure +here +min to max +there /,
    );
  });

  it('says where there is no baseline', () => {
    const alone = measure({ what: 'start', ours: [12], baseline: null, unit: 's', better: 'lower' });
    expect(formatTable({ bench: 'simulator', measures: [alone] }).split('\n')[2]).toMatch(/^start +12 +12 to 12 +none +s +1$/);
    expect(formatJson({ bench: 'simulator', measures: [alone] })).toContain('"baseline":null,"ratio":null');
  });

  it('is one line of JSON for programs, with the fields in a fixed order', () => {
    expect(formatJson({ bench: 'reflector', measures: [rss] })).toBe(
      '{"bench":"reflector","measures":[{"what":"rss","ours":200,"baseline":1000,"ratio":5,"unit":"MB","better":"lower","rounds":1,"oursRange":[200,200],"baselineRange":[1000,1000]}]}',
    );
  });
});
