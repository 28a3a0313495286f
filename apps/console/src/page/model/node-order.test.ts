import type { NodeRow, NodeSale } from '@quartermaster/api/inventory-views';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderText, parseOrder } from './grid-order.ts';
import { columnNames, NameRanks, sortNodes } from './node-order.ts';

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
  ...change,
});

const sort = (nodes: readonly NodeRow[], order: string | null): string[] =>
  sortNodes(nodes, parseOrder(order, columnNames), new NameRanks().of(nodes)).map(({ name }) => name);

describe('the order of nodes', () => {
  it('counts as a person does', () => {
    expect(sort([node('n-10'), node('n-9'), node('n-1')], null)).toEqual(['n-1', 'n-9', 'n-10']);
  });

  it('puts what needs a person first when sorted by state', () => {
    const sorted = sort(
      [
        node('good', { sale: sale('sellable') }),
        node('held', { sale: sale('held-back', 'Cordoned') }),
        node('silent', { sale: sale('unknown', 'ReadyUnknown') }),
        node('bad', { sale: sale('held-back', 'NotReady') }),
      ],
      'state',
    );
    expect(sorted).toEqual(['bad', 'silent', 'held', 'good']);
  });

  it('keeps equal ones in the order of their names, whichever way it goes', () => {
    const nodes = [node('b', { pods: 3 }), node('a', { pods: 3 }), node('c', { pods: 9 })];
    expect(sort(nodes, '-pods')).toEqual(['c', 'a', 'b']);
    expect(sort(nodes, 'pods')).toEqual(['a', 'b', 'c']);
  });

  it('works the places of names out again only when there are other names', () => {
    const ranks = new NameRanks();
    const first = ranks.of([node('b'), node('a')]);
    expect(ranks.of([node('b', { pods: 5 }), node('a')])).toBe(first);
    expect([...ranks.of([node('b'), node('a'), node('A2')]).keys()]).toEqual(['a', 'A2', 'b']);
  });

  it('survives the trip through the address', () => {
    fc.assert(
      fc.property(fc.constantFrom(...columnNames), fc.boolean(), (column, isDescending) => {
        expect(parseOrder(orderText({ column, isDescending }, columnNames), columnNames)).toEqual({ column, isDescending });
      }),
    );
  });

  it('is by name for an address that makes no sense', () => {
    expect(['', '-', 'constructor', '--pods'].map((text) => parseOrder(text, columnNames))).toEqual(
      Array(4).fill({ column: 'name', isDescending: false }),
    );
  });
});
