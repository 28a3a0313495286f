import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scrollToRow, virtualRange } from './virtual-range.ts';

const view = fc.record({
  rowCount: fc.nat(10_000),
  rowHeight: fc.constant(32),
  scrollTop: fc.integer({ min: -50, max: 400_000 }),
  viewHeight: fc.nat(2_000),
});

describe('virtual rows', () => {
  it('draws every visible row, a bounded number of others, and none that does not exist', () => {
    fc.assert(
      fc.property(view, (each) => {
        const { first, end } = virtualRange(each);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(each.rowCount);
        expect(end - first).toBeLessThanOrEqual(Math.ceil(each.viewHeight / 32) + 26);
        for (let row = 0; row < each.rowCount; row += 97) {
          const isVisible = (row + 1) * 32 > each.scrollTop && row * 32 < each.scrollTop + each.viewHeight;
          if (isVisible) expect(row >= first && row < end).toBe(true);
        }
      }),
    );
  });

  it('scrolls no further than needed to show a row', () => {
    fc.assert(
      fc.property(view, fc.nat(9_999), (each, row) => {
        const scrollTop = Math.max(0, each.scrollTop);
        const viewHeight = Math.max(32, each.viewHeight);
        const target = scrollToRow(row, { rowHeight: 32, scrollTop, viewHeight });
        expect(row * 32).toBeGreaterThanOrEqual(target);
        expect((row + 1) * 32).toBeLessThanOrEqual(target + viewHeight);
        const wasVisible = row * 32 >= scrollTop && (row + 1) * 32 <= scrollTop + viewHeight;
        if (wasVisible) expect(target).toBe(scrollTop);
      }),
    );
  });
});
