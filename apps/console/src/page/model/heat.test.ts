import type { NodeRow, NodeSale } from '@quartermaster/api/inventory-views';
import { describe, expect, it } from 'vitest';
import { byRack, heatOf, parseHeat } from './heat.ts';
import { nodeWords } from './node-state.ts';

const sale: NodeSale = {
  state: 'sellable',
  why: [],
  quarantined: 0,
  cpu: [8, 2, 6, 0, 0],
  memory: [8, 8, 0, 0, 0],
  disk: [8, 0, 8, 0, 0],
  models: {},
  freeModels: {},
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
  it('fills a cell as far as the resource is taken', () => {
    expect(heatOf(node('a'), 'cpu')).toEqual({ taken: 0.25, rest: 'good' });
    expect(heatOf(node('a'), 'memory').taken).toBe(1);
  });

  it('leaves a cell empty for a node that has none of the resource', () => {
    expect(heatOf(node('a'), 'gpu').taken).toBeUndefined();
  });

  it('shows what is held back and what is unknown as such', () => {
    expect(heatOf(node('a', { sale: { ...sale, state: 'held-back', why: ['Tainted'] } }), 'cpu').rest).toBe('held');
    expect(heatOf(node('a', { sale: { ...sale, state: 'unknown', why: ['ReadyUnknown'] } }), 'cpu').rest).toBe('unknown');
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

describe('the words for a node', () => {
  it('say what the inventory holds against a node that is ready', () => {
    expect(nodeWords(node('a'))).toBe('Ready');
    expect(nodeWords(node('a', { sale: { ...sale, state: 'held-back', why: ['Tainted'] } }))).toBe('Ready, held back: Tainted');
    expect(nodeWords(node('a', { state: 'SchedulingDisabled', sale: { ...sale, state: 'held-back', why: ['Cordoned'] } }))).toBe(
      'SchedulingDisabled',
    );
  });
});
