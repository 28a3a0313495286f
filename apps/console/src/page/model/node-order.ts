import type { ConsoleNode } from '../../console-source.ts';
import { nodeTone } from './node-state.ts';

export const nodeColumns = ['name', 'state', 'rack', 'cpu', 'memory', 'gpus', 'pods', 'heartbeat'] as const;
export type NodeColumn = (typeof nodeColumns)[number];

export interface NodeOrder {
  readonly column: NodeColumn;
  readonly isDescending: boolean;
}

/** As it stands in the address: `pods`, `-pods`. Anything else is by name. */
export function parseOrder(text: string | null): NodeOrder {
  const isDescending = text?.startsWith('-') === true;
  const column = nodeColumns.find((name) => name === text?.replace(/^-/, ''));
  return column === undefined ? { column: 'name', isDescending: false } : { column, isDescending };
}

/** What the address holds for an order; null for the usual one, which needs no mention. */
export function orderText({ column, isDescending }: NodeOrder): string | null {
  return column === 'name' && !isDescending ? null : `${isDescending ? '-' : ''}${column}`;
}

const natural = new Intl.Collator('en', { numeric: true });
const tones = ['failed', 'unknown', 'held', 'good'];

// column -> what of a node it sorts by; text is compared as a person counts: node-9 before node-10
const values: Readonly<Record<Exclude<NodeColumn, 'name' | 'state' | 'rack'>, (node: ConsoleNode) => number>> = {
  cpu: (node) => node.cpuMillis,
  memory: (node) => node.memoryBytes,
  gpus: (node) => Object.values(node.gpus).reduce((total, count) => total + count, 0),
  pods: (node) => node.pods,
  heartbeat: (node) => node.heartbeatAt ?? 0,
};

/** Sorted by the column, equal ones by name. By state, what needs a person comes first. */
export function sortNodes(nodes: readonly ConsoleNode[], { column, isDescending }: NodeOrder): readonly ConsoleNode[] {
  const direction = isDescending ? -1 : 1;
  const compare = comparison(column);
  return nodes.toSorted((a, b) => direction * compare(a, b) || natural.compare(a.name, b.name));
}

function comparison(column: NodeColumn): (a: ConsoleNode, b: ConsoleNode) => number {
  switch (column) {
    case 'name':
      return (a, b) => natural.compare(a.name, b.name);
    case 'rack':
      return (a, b) => natural.compare(a.rack ?? '', b.rack ?? '');
    case 'state':
      return (a, b) => tones.indexOf(nodeTone(a)) - tones.indexOf(nodeTone(b)) || natural.compare(a.state, b.state);
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
