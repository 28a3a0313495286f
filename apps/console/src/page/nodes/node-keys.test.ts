import { type NodeRow, type NodeSale, summariseCluster } from '@quartermaster/api/inventory-views';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowFilter } from '../../filter/row-filter.ts';
import { completeRows } from '../filter/complete-rows.ts';
import { gpuHref } from '../model/addresses.ts';
import { nodeShares } from '../model/cluster-shares.ts';
import { nodeKeys } from './node-keys.ts';

const sale = (state: NodeSale['state'], ...why: string[]): NodeSale => ({
  state,
  why,
  quarantined: 0,
  cpu: [1, 0, 1, 0, 0],
  memory: [1, 0, 1, 0, 0],
  disk: [0, 0, 0, 0, 0],
  models: {},
});

const node = (name: string, change: Partial<NodeRow> = {}): NodeRow => ({
  name,
  isReady: true,
  state: 'Ready',
  cpuMillis: 1,
  memoryBytes: 1,
  gpus: {},
  pods: 0,
  sale: sale('sellable'),
  ...change,
});

const nodes = [
  node('a1', { rack: 'rack-1', gpus: { 'NVIDIA H100': 8 } }),
  node('a2', {
    rack: 'rack-10',
    state: 'NotReady: DiskPressure',
    isReady: false,
    sale: sale('held-back', 'DiskPressure'),
    gpus: { 'NVIDIA H100': 8 },
  }),
  node('b1', { state: 'SchedulingDisabled', sale: sale('held-back', 'Cordoned'), gpus: { 'NVIDIA H100 NVL': 4 } }),
  node('host:7', { state: 'Ready' }),
];
const filterNodes = (all: readonly NodeRow[], query: string): readonly NodeRow[] => all.filter(rowFilter(query, nodeKeys).matches);
const names = (query: string): string[] => filterNodes(nodes, query).map(({ name }) => name);

describe('the filter of nodes', () => {
  it.each([
    ['', ['a1', 'a2', 'b1', 'host:7']],
    ['   ', ['a1', 'a2', 'b1', 'host:7']],
    ['h100', ['a1', 'a2', 'b1']],
    ['h100 ready:no', ['a2']],
    ['READY:yes', ['a1', 'b1', 'host:7']],
    ['state:disk', ['a2']],
    ['state:"Sellable"', ['a1', 'host:7']],
    ['kubernetes:"Ready"', ['a1', 'host:7']],
    ['gpu:"nvidia h100"', ['a1', 'a2']],
    ['rack:rack-1', ['a1', 'a2']],
    ['rack:"rack-1"', ['a1']],
    ['host:7', ['host:7']],
    ['"NVIDIA H100', ['a1', 'a2', 'b1']],
    ['"h100 nvl"', ['b1']],
    ['state:', ['a1', 'a2', 'b1', 'host:7']],
    ['nothing-like-it', []],
    ['this.rack == "rack-1" || this.gpu.exists(model, model.endsWith("NVL"))', ['a1', 'b1']],
    ['this.rack == this.gpu', []],
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

describe('an expression over nodes', () => {
  it('says what is wrong with it', () => {
    expect(rowFilter('this.rack = "r1"', nodeKeys).problem).toBe('Use == to compare.');
    expect(rowFilter('this.rak == "r1"', nodeKeys).problem).toMatch(/^There is no this\.rak\. There is this\.name, this\.state/);
    expect(rowFilter('this.rack ==', nodeKeys).problem).toMatch(/^Not a valid expression/);
  });
});

describe('completions of the filter of nodes', () => {
  const complete = completeRows(nodeKeys, nodes);
  const inserts = (text: string): readonly string[] => complete(text, text.length)?.options.map(({ insert }) => insert) ?? [];

  it('know the keys, and the values that nodes have', () => {
    expect(inserts('sa')).toEqual(['sale:']);
    expect(inserts('sale:')).toEqual(['"sellable" ', '"held-back" ', '"unknown" ']);
    expect(inserts('word rack:')).toEqual(['"rack-1" ', '"rack-10" ']);
    expect(inserts('gpu:nv')).toEqual(['"NVIDIA H100" ', '"NVIDIA H100 NVL" ']);
    expect(inserts('state:"held back: di')).toEqual(['"Held back: disk pressure" ']);
  });

  it('are silent where nothing is begun, and where everything is said', () => {
    for (const text of ['', 'a ', 'rack:"rack-1"', 'name:', 'some-node']) expect(inserts(text)).toEqual([]);
  });
});
