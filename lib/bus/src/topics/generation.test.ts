import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareGenerations } from './generation.ts';

describe('compareGenerations', () => {
  it('is a total order, by epoch first', () => {
    const generation = fc.record({ epoch: fc.nat(5), sequence: fc.nat(5) });
    fc.assert(
      fc.property(generation, generation, (a, b) => {
        expect(Math.sign(compareGenerations(a, b))).toBe(-Math.sign(compareGenerations(b, a)) + 0);
        expect(compareGenerations(a, b) === 0).toBe(a.epoch === b.epoch && a.sequence === b.sequence);
        if (a.epoch < b.epoch) expect(compareGenerations(a, b)).toBeLessThan(0);
      }),
    );
  });
});
