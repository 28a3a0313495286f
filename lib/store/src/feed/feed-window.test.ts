import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeedRow } from './feed-table.ts';
import { FeedWindow } from './feed-window.ts';
import { beginning, comparePositions } from './position.ts';

function row(xid: number, seq: number, size = 0): FeedRow {
  const change = {
    token: '',
    at: new Date(0),
    kind: 'hosts',
    type: 'updated',
    objectId: 'a',
    version: 1n,
    tenantsBefore: [],
    tenantsAfter: [],
  } as const;
  return { position: { xid: BigInt(xid), seq: BigInt(seq) }, change: { ...change, body: new Uint8Array(size) } };
}

describe('FeedWindow', () => {
  it('gives what lies after a place', () => {
    const window = new FeedWindow(beginning, { maxRows: 10, maxBytes: 1e6 });
    const rows = [row(1, 1), row(1, 2), row(5, 3)];
    window.append(rows);
    expect(window.after(beginning, 2)).toEqual(rows.slice(0, 2));
    expect(window.after({ xid: 1n, seq: 1n }, 9)).toEqual(rows.slice(1));
    expect(window.after({ xid: 3n, seq: 0n }, 9)).toEqual(rows.slice(2));
    expect(window.after({ xid: 9n, seq: 9n }, 9)).toEqual([]);
  });

  it('says so when it does not reach back that far', () => {
    expect(new FeedWindow({ xid: 5n, seq: 1n }, { maxRows: 10, maxBytes: 1e6 }).after({ xid: 4n, seq: 9n }, 1)).toBeUndefined();
  });

  it('gives up old rows when they take too much memory', () => {
    const window = new FeedWindow(beginning, { maxRows: 1_000, maxBytes: 10_000 });
    for (let seq = 1; seq <= 20; seq += 1) window.append([row(seq, seq, 1_000)]);
    expect(window.after(beginning, 99)).toBeUndefined();
    const kept = window.after({ xid: 17n, seq: 17n }, 99);
    expect(kept?.map((each) => each.position.seq)).toEqual([18n, 19n, 20n]);
  });

  it('never leaves a gap: a reader gets all rows after its place or is told that it cannot', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.record({ step: fc.nat(2), size: fc.nat(3_000) }), { maxLength: 8 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 30 }),
        fc.nat(60),
        (batches, maxRows, from) => {
          const window = new FeedWindow(beginning, { maxRows, maxBytes: 20_000 });
          const all: FeedRow[] = [];
          for (const batch of batches) {
            const rows = batch.map(({ step, size }, index) =>
              row(Number(all.at(-1)?.position.xid ?? 0n) + 1, all.length + index + step, size),
            );
            const ordered = rows.map((each, index) => ({
              ...each,
              position: { xid: each.position.xid + BigInt(index), seq: each.position.seq },
            }));
            all.push(...ordered);
            window.append(ordered);
            const place = { xid: BigInt(from), seq: 0n };
            const found = window.after(place, Number.POSITIVE_INFINITY);
            if (found !== undefined) expect(found).toEqual(all.filter((each) => comparePositions(each.position, place) > 0));
            expect(window.after(window.end, 1)).toEqual([]);
            expect(window.after(beginning, 1_000)?.length ?? 0).toBeLessThanOrEqual(maxRows);
          }
        },
      ),
    );
  });
});
