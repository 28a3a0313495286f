import type { NodeSale } from '@quartermaster/api/inventory-views';
import { describe, expect, it } from 'vitest';
import { divisionOf, partsOf, totalOf } from './fill.ts';

const sale: NodeSale = {
  state: 'sellable',
  why: [],
  quarantined: 1,
  cpu: [8, 2, 5, 1, 0],
  memory: [8, 0, 0, 0, 8],
  disk: [0, 0, 0, 0, 0],
  models: {},
};

describe('how a resource of a node divides', () => {
  it('is as the inventory divides it, without the parts that are empty', () => {
    const cpu = divisionOf(sale, 'cpu');
    expect(cpu).toEqual({ allocated: 2, sellable: 5, heldBack: 1, unknown: 0 });
    expect(cpu && totalOf(cpu)).toBe(8);
    expect(cpu && partsOf(cpu)).toEqual([
      { fill: 'allocated', amount: 2 },
      { fill: 'sellable', amount: 5 },
      { fill: 'held-back', amount: 1 },
    ]);
    expect(divisionOf(sale, 'memory')).toEqual({ allocated: 0, sellable: 0, heldBack: 0, unknown: 8 });
  });

  it('is nothing where the node has none of it', () => {
    expect(divisionOf(sale, 'disk')).toBeUndefined();
    expect(divisionOf(sale, 'gpu')).toBeUndefined();
  });
});
