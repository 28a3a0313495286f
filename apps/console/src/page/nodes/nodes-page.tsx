import { useDeferredValue, useMemo, useState } from 'react';
import type { ConsoleNode } from '../../console-source.ts';
import { useFreshness, useLive } from '../live/use-live.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { filterNodes } from '../model/node-filter.ts';
import { NameRanks, orderText, parseOrder, sortNodes } from '../model/node-order.ts';
import { HeldNote } from '../parts/held-note.tsx';
import { useHeldRows } from '../parts/use-held-rows.ts';
import { useQuery } from '../parts/use-query.ts';
import { WaitingForCluster, WaitingForServer } from '../parts/waiting.tsx';
import { NodeTable } from './node-table.tsx';

const keyOf = (node: ConsoleNode): string => node.name;
const noNodes: readonly ConsoleNode[] = [];

/** Every node of the cluster; filter and order are in the address. */
export function NodesPage() {
  const { snapshot } = useLive();
  const isStale = useFreshness().kind === 'stale';
  const [query, setQuery] = useQuery('q');
  const [sort, setSort] = useQuery('sort');
  const nodes = snapshot?.cluster?.nodes;
  const filter = useDeferredValue(query ?? '');
  const order = useMemo(() => parseOrder(sort), [sort]);
  const [nameRanks] = useState(() => new NameRanks());
  const newest = useMemo(() => {
    const all = nodes ?? noNodes;
    return sortNodes(filterNodes(all, filter), order, nameRanks.of(all));
  }, [nodes, filter, order, nameRanks]);
  const { rows, changes, holdProps, release } = useHeldRows(newest, keyOf, `${filter}\n${sort ?? ''}`);

  if (snapshot === undefined || nodes === undefined) {
    return (
      <>
        <header className="page-head">
          <h1>Nodes</h1>
        </header>
        {snapshot === undefined ? <WaitingForServer /> : <WaitingForCluster />}
      </>
    );
  }
  return (
    <div className="full-height">
      <header className="page-head">
        <h1>Nodes</h1>
        <p className="dim" aria-live="polite" data-testid="node-count">
          {newest.length === nodes.length
            ? countOf(nodes.length, 'node')
            : `${formatInteger(newest.length)} of ${formatInteger(nodes.length)}`}
        </p>
        <HeldNote changes={changes} onRelease={release} />
      </header>
      <input
        className="field filter-field"
        type="text"
        aria-label="Filter nodes"
        placeholder="filter: words, or state: rack: gpu: ready:no"
        autoComplete="off"
        spellCheck={false}
        value={query ?? ''}
        onChange={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      {newest.length === 0 && rows.length === 0 ? (
        <EmptyNodes isFiltered={nodes.length > 0} query={filter} onClear={() => setQuery(null)} />
      ) : (
        <div className="table-space" data-stale={isStale ? 'true' : undefined} {...holdProps}>
          <NodeTable nodes={rows} order={order} onOrder={(next) => setSort(orderText(next))} />
        </div>
      )}
    </div>
  );
}

interface EmptyNodesProps {
  readonly isFiltered: boolean;
  readonly query: string;
  readonly onClear: () => void;
}

function EmptyNodes({ isFiltered, query, onClear }: EmptyNodesProps) {
  if (!isFiltered) {
    return (
      <div className="empty">
        <p>The cluster has no nodes. They appear here as soon as one registers; npm start -- --scenario small starts with three.</p>
      </div>
    );
  }
  return (
    <div className="empty">
      <p>
        No node matches <code>{query}</code>.
      </p>
      <button type="button" className="quiet-button" onClick={onClear}>
        Show all nodes
      </button>
    </div>
  );
}
