import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { ConsoleNode } from '../../console-source.ts';
import { nodeHref } from '../model/cluster-summary.ts';
import { type NodeColumn, type NodeOrder, nodeColumns } from '../model/node-order.ts';
import { useVirtualRows } from '../parts/use-virtual-rows.ts';
import { NodeRow } from './node-row.tsx';

interface NodeTableProps {
  readonly nodes: readonly ConsoleNode[];
  readonly order: NodeOrder;
  readonly onOrder: (order: NodeOrder) => void;
}

// column -> its heading
const headings: Readonly<Record<NodeColumn, string>> = {
  name: 'Name',
  state: 'State',
  rack: 'Rack',
  cpu: 'Cores',
  memory: 'Memory',
  gpus: 'GPUs',
  pods: 'Pods',
  heartbeat: 'Heartbeat',
};
const numeric: readonly NodeColumn[] = ['cpu', 'memory', 'pods', 'heartbeat'];

/** A grid of which only the visible rows exist. Arrows move a row at a time, Home and End to either end, Enter opens. */
export function NodeTable({ nodes, order, onOrder }: NodeTableProps) {
  const [, navigate] = useLocation();
  const [activeName, setActiveName] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);
  const { range, rowHeight, showRow } = useVirtualRows(scroller, nodes.length);
  const active = Math.max(0, activeName === undefined ? 0 : nodes.findIndex((node) => node.name === activeName));

  const move = (row: number): void => {
    const index = Math.min(Math.max(row, 0), nodes.length - 1);
    setActiveName(nodes[index]?.name);
    showRow(index);
  };
  const press = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: nodes.length - 1,
    };
    const target = steps[event.key];
    const isInHeading = event.target instanceof HTMLButtonElement;
    if (target !== undefined) move(activeName === undefined && event.key === 'ArrowDown' ? 0 : target);
    else if (event.key === 'Enter' && !isInHeading && nodes[active] !== undefined) navigate(nodeHref(nodes[active].name));
    else return;
    event.preventDefault();
  };

  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [order]);

  return (
    <div
      ref={scroller}
      className="grid"
      role="grid"
      aria-label="Nodes"
      aria-rowcount={nodes.length + 1}
      aria-colcount={nodeColumns.length}
      aria-activedescendant={activeName === undefined ? undefined : `node-row-${active}`}
      tabIndex={0}
      onKeyDown={press}
    >
      <div role="row" aria-rowindex={1} className="grid-row grid-head node-columns">
        {nodeColumns.map((column) => (
          <Heading key={column} column={column} order={order} onOrder={onOrder} />
        ))}
      </div>
      <div role="presentation" className="grid-body" style={{ height: nodes.length * rowHeight }}>
        {nodes.slice(range.first, range.end).map((node, offset) => (
          <NodeRow
            key={node.name}
            node={node}
            index={range.first + offset}
            top={(range.first + offset) * rowHeight}
            isActive={activeName === node.name}
            onChoose={setActiveName}
          />
        ))}
      </div>
    </div>
  );
}

interface HeadingProps {
  readonly column: NodeColumn;
  readonly order: NodeOrder;
  readonly onOrder: (order: NodeOrder) => void;
}

function Heading({ column, order, onOrder }: HeadingProps) {
  const isSorted = order.column === column;
  const direction = order.isDescending ? 'descending' : 'ascending';
  return (
    <div
      role="columnheader"
      aria-sort={isSorted ? direction : 'none'}
      className={`cell cell-${column}${numeric.includes(column) ? ' number' : ''}`}
    >
      <button type="button" onClick={() => onOrder({ column, isDescending: isSorted ? !order.isDescending : false })}>
        {headings[column]}
        {isSorted && <span aria-hidden="true">{order.isDescending ? ' ↓' : ' ↑'}</span>}
      </button>
    </div>
  );
}
