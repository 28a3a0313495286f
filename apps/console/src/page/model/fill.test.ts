import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cardFill, divide, partsOf, totalOf } from './fill.ts';

const states = ['sellable', 'held-back', 'unknown'] as const;

describe('what an amount counts as', () => {
  it('is unknown on a silent node, held back before allocated, allocated before sellable', () => {
    const holder = { namespace: 'n', pod: 'p' };
    expect(cardFill({ state: 'quarantined', holder }, 'unknown')).toBe('unknown');
    expect(cardFill({ state: 'quarantined', holder }, 'sellable')).toBe('held-back');
    expect(cardFill({ state: 'healthy', holder }, 'held-back')).toBe('allocated');
    expect(cardFill({ state: 'unknown' }, 'sellable')).toBe('sellable');
    expect(divide([8, 2, 6], 'unknown')).toEqual({ allocated: 0, sellable: 0, heldBack: 0, unknown: 8 });
    expect(divide([8, 2, 6], 'held-back')).toEqual({ allocated: 2, sellable: 0, heldBack: 6, unknown: 0 });
  });

  it('adds up to what there is, whatever the figures say', () => {
    const amount = fc.tuple(fc.nat(1000), fc.integer({ min: -10, max: 1500 }), fc.integer({ min: -10, max: 1500 }));
    fc.assert(
      fc.property(amount, fc.constantFrom(...states), (figures, state) => {
        const division = divide(figures, state);
        expect(totalOf(division)).toBe(figures[0]);
        expect(partsOf(division).every(({ amount: part }) => part > 0)).toBe(true);
      }),
    );
  });
});
