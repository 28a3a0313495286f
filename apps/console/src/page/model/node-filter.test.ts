import type { NodeRow } from '@quartermaster/api/inventory-views';
import { summariseCluster } from '@quartermaster/api/inventory-views';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gpuHref } from './addresses.ts';
import { nodeShares } from './cluster-shares.ts';
import { filterNodes } from './node-filter.ts';

const node = (name: string, change: Partial<NodeRow> = {}): NodeRow => ({
  name,
  isReady: true,
  state: 'Ready',
  cpuMillis: 1,
  memoryBytes: 1,
  gpus: {},
  pods: 0,
  ...change,
});

const nodes = [
  node('a1', { rack: 'rack-1', gpus: { 'NVIDIA H100': 8 } }),
  node('a2', { rack: 'rack-10', state: 'NotReady: DiskPressure', isReady: false, gpus: { 'NVIDIA H100': 8 } }),
  node('b1', { state: 'SchedulingDisabled', gpus: { 'NVIDIA H100 NVL': 4 } }),
  node('host:7', { state: 'Ready' }),
];
const names = (query: string): string[] => filterNodes(nodes, query).map(({ name }) => name);

describe('the filter of nodes', () => {
  it.each([
    ['', ['a1', 'a2', 'b1', 'host:7']],
    ['   ', ['a1', 'a2', 'b1', 'host:7']],
    ['h100', ['a1', 'a2', 'b1']],
    ['h100 ready:no', ['a2', 'b1']],
    ['READY:yes', ['a1', 'host:7']],
    ['state:disk', ['a2']],
    ['state:"Ready"', ['a1', 'host:7']],
    ['gpu:"nvidia h100"', ['a1', 'a2']],
    ['rack:rack-1', ['a1', 'a2']],
    ['rack:"rack-1"', ['a1']],
    ['host:7', ['host:7']],
    ['"NVIDIA H100', ['a1', 'a2', 'b1']],
    ['"h100 nvl"', ['b1']],
    ['state:', ['a1', 'a2', 'b1', 'host:7']],
    ['nothing-like-it', []],
  ])('takes %s for %j', (query, expected) => {
    expect(names(query)).toEqual(expected);
  });

  it('takes any text without failing, and never invents a node', () => {
    fc.assert(
      fc.property(fc.string(), (query) => {
        expect(filterNodes(nodes, query).every((each) => nodes.includes(each))).toBe(true);
      }),
    );
  });

  it('lists behind every link of the summary exactly what the link counts', () => {
    const summary = summariseCluster(nodes, []);
    for (const { count, href } of nodeShares(summary)) {
      const query = new URLSearchParams(href.split('?')[1]).get('q') ?? '';
      expect(filterNodes(nodes, query)).toHaveLength(count);
    }
    for (const model of summary.gpuModels) {
      const query = new URLSearchParams(gpuHref(model.model).split('?')[1]).get('q') ?? '';
      expect(filterNodes(nodes, query)).toHaveLength(model.nodes);
    }
  });
});
