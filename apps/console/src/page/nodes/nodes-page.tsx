import { type NodeRow, nodesTopic } from '@quartermaster/api/inventory-views';
import { useDeferredValue, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { completeRows } from '../filter/complete-rows.ts';
import { useRowFilter } from '../filter/use-row-filter.ts';
import { useFreshness } from '../live/use-live.ts';
import { useTopic } from '../live/use-topic.ts';
import { nodeHref } from '../model/addresses.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { orderText, parseOrder } from '../model/grid-order.ts';
import { parseHeat } from '../model/heat.ts';
import { columnNames, NameRanks, sortNodes } from '../model/node-order.ts';
import { lastGoodWords } from '../objects/object-table.tsx';
import { FilterField } from '../parts/table/filter-field.tsx';
import { Grid } from '../parts/table/grid.tsx';
import { HeldNote } from '../parts/table/held-note.tsx';
import { NoMatch } from '../parts/table/no-match.tsx';
import { useHeldRows } from '../parts/table/use-held-rows.ts';
import { useQuery } from '../parts/table/use-query.ts';
import { Waiting } from '../parts/waiting.tsx';
import { HeatMap } from './heat-map.tsx';
import { nodeColumns } from './node-columns.tsx';
import { nodeKeys } from './node-keys.ts';

const keyOf = nodesTopic.keyOf;
const noNodes: readonly NodeRow[] = [];
/** On the map a node stays where it is, however the table is sorted. */
const byName = parseOrder(null, columnNames);

/** Every node of the cluster; filter and order are in the address. */
export function NodesPage() {
  const { news } = useTopic(nodesTopic, {});
  const isStale = useFreshness().kind === 'stale';
  const [, navigate] = useLocation();
  const [query, setQuery] = useQuery('q');
  const [sort, setSort] = useQuery('sort');
  const [byText, setBy] = useQuery('by');
  const nodes = news?.rows ?? noNodes;
  const filter = useDeferredValue(query ?? '');
  const order = useMemo(() => parseOrder(sort, columnNames), [sort]);
  const [nameRanks] = useState(() => new NameRanks());
  const { found, problem, hint, lastGood } = useRowFilter(nodes, filter, nodeKeys);
  const newest = useMemo(() => sortNodes(found, order, nameRanks.of(nodes)), [found, nodes, order, nameRanks]);
  const inPlace = useMemo(() => sortNodes(found, byName, nameRanks.of(nodes)), [found, nodes, nameRanks]);
  const hasGpus = useMemo(() => nodes.some(({ sale }) => sale?.gpu !== undefined), [nodes]);
  const complete = useMemo(() => completeRows(nodeKeys, nodes), [nodes]);
  const { rows, changes, holdProps, release } = useHeldRows(newest, keyOf, `${filter}\n${sort ?? ''}`);

  if (news === undefined || news === null) {
    return (
      <>
        <header className="page-head">
          <h1>Nodes</h1>
        </header>
        <Waiting />
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
          {problem !== undefined && ` ${lastGoodWords(lastGood)}`}
        </p>
        <HeldNote changes={changes} onRelease={release} />
      </header>
      <FilterField
        label="Filter nodes"
        hint="filter: words, sale:held-back rack:r1 gpu:h100, or CEL"
        value={query ?? ''}
        onChange={setQuery}
        complete={complete}
        problem={problem}
        note={hint}
      />
      {newest.length > 0 || rows.length > 0 ? (
        <>
          <HeatMap nodes={inPlace} by={parseHeat(byText, hasGpus)} isStale={isStale} onBy={setBy} />
          <div className="table-space" data-stale={isStale || problem !== undefined ? 'true' : undefined} {...holdProps}>
            <Grid
              label="Nodes"
              layout="node"
              columns={nodeColumns}
              rows={rows}
              keyOf={keyOf}
              onOpen={({ name }) => navigate(nodeHref(name))}
              order={order}
              onOrder={(next) => setSort(orderText(next, columnNames))}
              scope={sort ?? 'name'}
            />
          </div>
        </>
      ) : nodes.length > 0 ? (
        <NoMatch plural="nodes" onClear={() => setQuery(null)}>
          No node matches <code>{filter}</code>.
        </NoMatch>
      ) : (
        <div className="empty">
          <p>The cluster has no nodes. They appear here as soon as one registers.</p>
        </div>
      )}
    </div>
  );
}
