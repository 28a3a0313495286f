import { describe, expect, it } from 'vitest';
import { summariseCluster } from './cluster-summary.ts';
import type { CapacityLine, NodeSale } from './inventory-shapes.ts';
import type { NodeRow } from './node-row.ts';

const sale = (state: NodeSale['state'], ...why: string[]): NodeSale => ({
  state,
  why,
  quarantined: 0,
  cpu: [1, 0, 1, 0, 0],
  memory: [1, 0, 1, 0, 0],
  disk: [0, 0, 0, 0, 0],
  models: {},
});

const node = (name: string, change: Partial<NodeRow>): NodeRow => ({
  name,
  isReady: true,
  state: 'Ready',
  cpuMillis: 1000,
  memoryBytes: 10,
  gpus: {},
  pods: 2,
  sale: sale('sellable'),
  ...change,
});
const line = (kind: CapacityLine['kind'], name: string, allocated: number, sellable: number, unknown: number): CapacityLine => ({
  kind,
  name,
  unit: 'devices',
  division: { allocated, sellable, heldBack: 1, unknown },
  why: [],
});

describe('the summary of a cluster', () => {
  const summary = summariseCluster(
    [
      node('a', { gpus: { h100: 8 } }),
      node('b', { gpus: { h100: 8, t4: 1 }, sale: sale('unknown', 'ReadyUnknown'), isReady: false }),
      node('c', { sale: sale('held-back', 'Cordoned') }),
      node('d', {}),
    ],
    [line('model', 'h100', 2, 5, 8), line('resource', 'cpu', 1500, 500, 1000)],
  );

  it('counts nodes by state, sellable ones first', () => {
    expect(summary.nodesByState.map(({ state, count }) => [state, count])).toEqual([
      ['Sellable', 2],
      ['Unknown: silent', 1],
      ['Held back: cordoned', 1],
    ]);
    expect([summary.readyCount, summary.nodeCount, summary.podCount]).toEqual([3, 4, 8]);
  });

  it('counts as usable what the capacity says is allocated or for sale, and nothing else', () => {
    expect(summary.gpuModels).toEqual([
      { model: 'h100', total: 16, usable: 7, nodes: 2 },
      { model: 't4', total: 1, usable: 0, nodes: 1 },
    ]);
    expect([summary.usableCpuMillis, summary.cpuMillis, summary.memoryBytes]).toEqual([2000, 4000, 40]);
  });
});
