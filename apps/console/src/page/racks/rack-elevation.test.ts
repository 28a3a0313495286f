import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Host } from '../hosts/host.ts';
import { rackElevation, racksOf } from './rack-elevation.ts';

const host = (id: string, rack: string, unit: number, height = 1): Host => ({
  id,
  metadata: { name: id, tenants: [], version: '1' },
  spec: { rack, rack_unit: unit, rack_height: height },
});

describe('the elevation of a rack', () => {
  it('places every host once, and never two in one unit', () => {
    const hosts = fc.array(fc.record({ unit: fc.integer({ min: 0, max: 70 }), height: fc.integer({ min: 0, max: 8 }) }), { maxLength: 40 });
    fc.assert(
      fc.property(hosts, (places) => {
        const all = places.map(({ unit, height }, index) => host(`h${index}`, 'r', unit, height));
        const { placed, loose, clashing, units, free } = rackElevation('r', all);
        const named = [...placed.map((each) => each.host.id), ...loose.map(({ id }) => id), ...clashing.map((each) => each.host.id)];
        expect(named.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
        const taken = placed.flatMap(({ unit, height }) => Array.from({ length: height }, (_, offset) => unit + offset));
        expect(new Set(taken).size).toBe(taken.length);
        expect([...taken, ...free].toSorted((a, b) => a - b)).toEqual(Array.from({ length: units }, (_, index) => index + 1));
      }),
    );
  });

  it('says who is in the way of whom', () => {
    const { placed, clashing } = rackElevation('r', [host('b', 'r', 2), host('a', 'r', 1, 2)]);
    expect(placed.map((each) => each.host.id)).toEqual(['a']);
    expect(clashing).toMatchObject([{ host: { id: 'b' }, with: { id: 'a' } }]);
  });

  it('takes a place that no rack has for not known', () => {
    expect(rackElevation('r', [host('a', 'r', 59, 4), host('b', 'r', 0)]).loose.map(({ id }) => id)).toEqual(['b', 'a']);
  });

  it('sorts racks as a person counts, and leaves out what stands in none', () => {
    const racks = racksOf([host('a', 'r10', 1), host('b', 'r9', 1), host('c', '', 1), host('d', 'r9', 2)]);
    expect(racks.map(({ rack, placed }) => [rack, placed.length])).toEqual([
      ['r9', 2],
      ['r10', 1],
    ]);
  });
});
