import type { NodeRow, NodeSale } from '@quartermaster/api/inventory-views';
import { describe, expect, it } from 'vitest';
import { byRack, heatOf, parseHeat } from './heat.ts';

const sale: NodeSale = {
  state: 'sellable',
  why: [],
  quarantined: 0,
  cpu: [8, 2, 6, 0, 0],
  memory: [8, 8, 0, 0, 0],
  disk: [8, 0, 8, 0, 0],
  models: {},
};
const node = (name: string, change: Partial<NodeRow> = {}): NodeRow => ({
  name,
  isReady: true,
  state: 'Ready',
  cpuMillis: 8,
  memoryBytes: 8,
  gpus: {},
  pods: 0,
  sale,
  ...change,
});

describe('the map of nodes', () => {
  it('fills a cell as the resource divides, from the bottom up', () => {
    expect(heatOf(node('a'), 'cpu')).toEqual([
      { fill: 'allocated', from: 0, percent: 25 },
      { fill: 'sellable', from: 25, percent: 75 },
    ]);
    expect(heatOf(node('a'), 'memory')).toEqual([{ fill: 'allocated', from: 0, percent: 100 }]);
  });

  it('leaves a cell empty for a node that has none of the resource', () => {
    expect(heatOf(node('a'), 'gpu')).toEqual([]);
  });

  it('shows all of a silent node as unknown, whoever held it', () => {
    expect(heatOf(node('a', { sale: { ...sale, state: 'unknown', why: ['ReadyUnknown'], memory: [8, 0, 0, 0, 8] } }), 'memory')).toEqual([
      { fill: 'unknown', from: 0, percent: 100 },
    ]);
  });

  it('shows cards that cannot be sold as held back, not as free', () => {
    expect(
      heatOf(node('a', { sale: { ...sale, gpu: [8, 2, 2, 4, 0], quarantined: 4 } }), 'gpu').map(({ fill, percent }) => [fill, percent]),
    ).toEqual([
      ['allocated', 25],
      ['sellable', 25],
      ['held-back', 50],
    ]);
  });

  it('groups by rack as a person counts, nodes without one last', () => {
    const racks = byRack([node('a'), node('b', { rack: 'r10' }), node('c', { rack: 'r9' }), node('d', { rack: 'r10' })]);
    expect(racks.map(([rack, members]) => [rack, members.map(({ name }) => name)])).toEqual([
      ['r9', ['c']],
      ['r10', ['b', 'd']],
      ['', ['a']],
    ]);
  });

  it('is coloured by GPUs where there are any, unless the address says otherwise', () => {
    expect([parseHeat(null, true), parseHeat(null, false), parseHeat('disk', true), parseHeat('nonsense', false)]).toEqual([
      'gpu',
      'cpu',
      'disk',
      'cpu',
    ]);
  });
});
