import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdRows } from './held-rows.ts';

interface Row {
  readonly key: string;
  readonly value: number;
}
const keyOf = ({ key }: Row): string => key;
const row: fc.Arbitrary<Row> = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), value: fc.nat(3) });
const rows = fc.uniqueArray(row, { selector: keyOf });

describe('held rows', () => {
  it('shows the newest when nothing is held', () => {
    expect(holdRows(undefined, [{ key: 'a', value: 1 }], keyOf)).toEqual({ rows: [{ key: 'a', value: 1 }], changes: 0 });
  });

  it('keeps every row in its place with its newest value', () => {
    fc.assert(
      fc.property(rows, rows, (held, newest) => {
        const result = holdRows(held, newest, keyOf);
        expect(result.rows.map(keyOf)).toEqual(held.map(keyOf));
        for (const each of result.rows) {
          const now = newest.find(({ key }) => key === each.key);
          if (now !== undefined) expect(each).toBe(now);
        }
      }),
    );
  });

  it('counts no change exactly when letting go would move nothing', () => {
    fc.assert(
      fc.property(rows, rows, (held, newest) => {
        const wouldMove = JSON.stringify(held.map(keyOf)) !== JSON.stringify(newest.map(keyOf));
        expect(holdRows(held, newest, keyOf).changes > 0).toBe(wouldMove);
      }),
    );
  });
});
