import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FreeHost, selectHosts } from './select-hosts.ts';

const host = (id: string, rack: string, isReady = true): FreeHost => ({ id, rack, isReady });
const none = new Map<string, number>();

const hosts = fc.uniqueArray(
  fc.record({ id: fc.stringMatching(/^[a-z]{1,4}$/), rack: fc.constantFrom('', 'r1', 'r2', 'r3'), isReady: fc.boolean() }),
  {
    selector: ({ id }) => id,
    maxLength: 30,
  },
);
const heldByRack = fc
  .dictionary(fc.constantFrom('', 'r1', 'r2', 'r3'), fc.nat({ max: 4 }))
  .map((entries) => new Map(Object.entries(entries)));
const wish = fc.nat({ max: 35 });

describe('selectHosts', () => {
  it('spreads over racks, and begins where the node set has the fewest', () => {
    const free = [host('a1', 'a'), host('a2', 'a'), host('b1', 'b'), host('b2', 'b'), host('c1', 'c')];
    expect(selectHosts(free, { wanted: 3, held: none }).toSorted()).toEqual(['a1', 'b1', 'c1']);
    expect(selectHosts(free, { wanted: 2, held: new Map([['a', 1]]) }).toSorted()).toEqual(['b1', 'c1']);
  });

  it('takes from a rack what is ready first', () => {
    expect(selectHosts([host('a', 'r', false), host('b', 'r')], { wanted: 1, held: none })).toEqual(['b']);
  });

  it('chooses as many as it can, each once, all of them free', () => {
    fc.assert(
      fc.property(hosts, heldByRack, wish, (free, held, wanted) => {
        const chosen = selectHosts(free, { wanted, held });
        expect(chosen).toHaveLength(Math.min(wanted, free.length));
        expect(new Set(chosen).size).toBe(chosen.length);
        const ids = new Set(free.map(({ id }) => id));
        expect(chosen.every((id) => ids.has(id))).toBe(true);
      }),
    );
  });

  it('never gives a rack a host while another one that has fewer still has free ones', () => {
    fc.assert(
      fc.property(hosts, heldByRack, wish, (free, held, wanted) => {
        const chosen = new Set(selectHosts(free, { wanted, held }));
        const racks = [...new Set(free.map(({ rack }) => rack))].map((rack) => {
          const mine = free.filter((each) => each.rack === rack);
          const taken = mine.filter(({ id }) => chosen.has(id)).length;
          return { taken, left: mine.length - taken, count: (held.get(rack) ?? 0) + taken };
        });
        for (const rack of racks) {
          for (const other of racks) if (rack.taken > 0 && other.left > 0) expect(rack.count).toBeLessThanOrEqual(other.count + 1);
        }
      }),
    );
  });

  it('does not depend on the order in which hosts are given, and a shorter wish is a beginning of a longer one', () => {
    fc.assert(
      fc.property(hosts, heldByRack, wish, fc.option(fc.string(), { nil: undefined }), (free, held, wanted, salt) => {
        const options = { held, salt };
        const all = selectHosts(free, { ...options, wanted: free.length });
        expect(selectHosts(free.toReversed(), { ...options, wanted })).toEqual(all.slice(0, wanted));
      }),
    );
  });
});
