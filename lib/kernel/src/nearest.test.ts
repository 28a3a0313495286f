import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, nearest } from './nearest.ts';

const words = fc.stringMatching(/^[abc-]{0,8}$/);

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['kitten', 'sitting', 3],
    ['prot', 'port', 1],
    ['poll-perod', 'poll-period', 1],
  ])('from %j to %j is %i', (from, to, distance) => {
    expect(editDistance(from, to)).toBe(distance);
  });

  it('is zero for equal texts only, and the same both ways', () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});

describe('nearest', () => {
  const known = ['inventory-resource-poll-period', 'listen-address', 'log-level'];

  it.each([
    ['inventory-resource-pol-period', 'inventory-resource-poll-period'],
    ['log-levle', 'log-level'],
    ['loglevel', 'log-level'],
    ['quota', undefined],
  ])('for %s is %s', (name, expected) => {
    expect(nearest(name, known)).toBe(expected);
  });

  it('finds every known name with one letter missing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.nat(100), (name, position) => {
        const cut = position % name.length;
        expect(nearest(name.slice(0, cut) + name.slice(cut + 1), known)).toBe(name);
      }),
    );
  });
});
