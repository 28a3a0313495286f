import type { NodeRow } from '@quartermaster/api/inventory-views';
import { nodeState } from '@quartermaster/api/states';
import { divisionOf } from './fill.ts';
import type { GridOrder } from './grid-order.ts';
import type { HeatResource } from './heat.ts';

export const columnNames = ['name', 'state', 'rack', 'cpu', 'memory', 'gpus', 'pods', 'heartbeat'] as const;
export type NodeColumn = (typeof columnNames)[number];

const natural = new Intl.Collator('en', { numeric: true });
const tones = ['failed', 'unknown', 'held', 'good'];

// column -> what of a node it sorts by; text is compared as a person counts: node-9 before node-10
const values: Readonly<Record<Exclude<NodeColumn, 'name' | 'state' | 'rack'>, (node: NodeRow) => number>> = {
  cpu: ({ sale, cpuMillis }) => sellable(sale, 'cpu', cpuMillis),
  memory: ({ sale, memoryBytes }) => sellable(sale, 'memory', memoryBytes),
  gpus: ({ sale, gpus }) =>
    sellable(
      sale,
      'gpu',
      Object.values(gpus).reduce((total, count) => total + count, 0),
    ),
  pods: (node) => node.pods,
  heartbeat: (node) => node.silentSince ?? 0,
};

/** `whole` while the inventory says nothing; those that have none of it come below those of which nothing can be sold. */
const sellable = (sale: NodeRow['sale'], resource: HeatResource, whole: number): number =>
  sale === undefined ? whole : (divisionOf(sale, resource)?.sellable ?? -1);

/**
 * The place of every name in the alphabet of people who count. Comparing text that way is slow, and names seldom change while
 * everything else about nodes does: the places are worked out again only when there are other names.
 */
export class NameRanks {
  #names: readonly string[] = [];
  #ranks: ReadonlyMap<string, number> = new Map(); // name -> place

  of(nodes: readonly NodeRow[]): ReadonlyMap<string, number> {
    const isKnown = nodes.length === this.#names.length && nodes.every(({ name }, index) => name === this.#names[index]);
    if (!isKnown) {
      this.#names = nodes.map(({ name }) => name);
      this.#ranks = new Map(this.#names.toSorted(natural.compare).map((name, place) => [name, place]));
    }
    return this.#ranks;
  }
}

/** Sorted by the column, equal ones by name. By state, what needs a person comes first. `ranks` holds every name among them. */
export function sortNodes(
  nodes: readonly NodeRow[],
  { column, isDescending }: GridOrder<NodeColumn>,
  ranks: ReadonlyMap<string, number>,
): readonly NodeRow[] {
  const direction = isDescending ? -1 : 1;
  const byName = (a: NodeRow, b: NodeRow): number => (ranks.get(a.name) ?? 0) - (ranks.get(b.name) ?? 0);
  const compare = column === 'name' ? byName : comparison(column, nodes);
  return nodes.toSorted((a, b) => direction * compare(a, b) || byName(a, b));
}

function comparison(column: Exclude<NodeColumn, 'name'>, nodes: readonly NodeRow[]): (a: NodeRow, b: NodeRow) => number {
  switch (column) {
    case 'rack':
      return (a, b) => compareText(a.rack ?? '', b.rack ?? '');
    case 'state': {
      const states = new Map(nodes.map(({ name, sale }) => [name, nodeState(sale)])); // name -> state
      const [rank, word] = [(name: string) => tones.indexOf(states.get(name)?.tone ?? ''), (name: string) => states.get(name)?.word ?? ''];
      return (a, b) => rank(a.name) - rank(b.name) || compareText(word(a.name), word(b.name));
    }
    case 'cpu':
    case 'memory':
    case 'gpus':
    case 'pods':
    case 'heartbeat': {
      const value = values[column];
      return (a, b) => value(a) - value(b);
    }
  }
}

const compareText = (a: string, b: string): number => (a === b ? 0 : natural.compare(a, b));
