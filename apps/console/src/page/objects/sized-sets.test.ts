import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeatedNames, rowsOfSets, setsOfRows } from './sized-sets.ts';

describe('sets of hosts in a form', () => {
  it('are the same after a look at them', () => {
    const sets = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.record({ host_class: fc.string(), size: fc.nat() }));
    fc.assert(
      fc.property(sets, (given) => {
        expect(setsOfRows(rowsOfSets(given))).toEqual({ ...given });
      }),
    );
  });

  it('send what is no number as it was typed', () => {
    const row = { key: 0, name: 'a', hostClass: 'c' };
    expect(setsOfRows([{ ...row, size: 'three' }])).toEqual({ a: { host_class: 'c', size: 'three' } });
    expect(setsOfRows([{ ...row, size: '' }])).toEqual({ a: { host_class: 'c', size: 0 } });
  });

  it('tell which names are there twice', () => {
    const rows = ['a', 'b', 'a'].map((name, key) => ({ key, name, hostClass: '', size: '1' }));
    expect([...repeatedNames(rows)]).toEqual(['a']);
  });
});
