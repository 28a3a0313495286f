import { type ReactNode, useMemo } from 'react';
import { useLocation } from 'wouter';
import type { RowKey } from '../../filter/row-filter.ts';
import { completeRows } from '../filter/complete-rows.ts';
import { useRowFilter } from '../filter/use-row-filter.ts';
import { sentenceCase } from '../model/amounts.ts';
import { lastGoodWords } from '../objects/object-table.tsx';
import { FilterField } from '../parts/table/filter-field.tsx';
import { Grid, type GridColumn } from '../parts/table/grid.tsx';
import { HeldNote } from '../parts/table/held-note.tsx';
import { NoMatch } from '../parts/table/no-match.tsx';
import { TokenPager } from '../parts/table/token-pages.tsx';
import { useHeldRows } from '../parts/table/use-held-rows.ts';
import { Ghosts } from '../parts/waiting.tsx';
import { type Polled, serviceProblem } from '../upstreams/use-cluster-service.ts';
import type { ListQuery } from './use-list-query.ts';

interface FilteredListProps<Row> {
  readonly singular: string;
  readonly plural: string;
  readonly list: ListQuery;
  /** The answer to it. */
  readonly polled: Polled<{ readonly nextPageToken?: string }>;
  /** Of the answer. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  /** The page of a row, where it has one. */
  readonly hrefOf: (row: Row) => string | undefined;
  /** Names the widths in the style sheet: `hostname` -> .hostname-columns. */
  readonly layout: string;
  readonly columns: readonly GridColumn<Row>[];
  readonly keys: readonly RowKey<Row>[];
  readonly filterHint: string;
  /** Links to parts of the list. */
  readonly links?: ReactNode;
  /** Why what was answered may be old, as a sentence. */
  readonly oldNotice?: string | undefined;
  /** When there is nothing and no filter: what would be here, and how it gets here. */
  readonly empty: ReactNode;
  /** Below the rows. */
  readonly children?: ReactNode;
}

const none: readonly never[] = [];

/** A list of the cluster service, a page at a time. The filter looks through the rows of the page, and stands in the address. */
export function FilteredList<Row>(props: FilteredListProps<Row>) {
  const { singular, plural, list, polled, rows = none, keyOf, hrefOf, layout, columns, keys, filterHint, links, oldNotice, empty } = props;
  const { query, setQuery, typed, pages, scope } = list;
  const { data, isCurrent, problem } = polled;
  const [, navigate] = useLocation();
  const { found, problem: mistake, hint, lastGood } = useRowFilter(rows, typed, keys);
  const complete = useMemo(() => completeRows(keys, rows), [keys, rows]);
  const held = useHeldRows(found, keyOf, scope);
  const next = data?.nextPageToken ?? '';
  const isEmpty = data !== undefined && isCurrent && held.rows.length === 0;
  const isStale = mistake !== undefined || problem !== undefined || oldNotice !== undefined;
  return (
    <div className="full-height" aria-busy={!isCurrent}>
      <header className="page-head">
        <h1>{sentenceCase(plural)}</h1>
        {mistake !== undefined && data !== undefined && <p className="dim">{lastGoodWords(lastGood)}</p>}
        <HeldNote changes={held.changes} onRelease={held.release} />
      </header>
      {links}
      <div className="filter-line">
        <FilterField
          label={`Filter ${plural}`}
          hint={filterHint}
          complete={complete}
          problem={mistake}
          note={hint}
          value={query}
          onChange={setQuery}
        />
        <TokenPager
          plural={plural}
          pages={pages}
          next={next}
          shown={rows.length}
          found={data === undefined ? undefined : found.length}
          isCurrent={isCurrent}
        />
      </div>
      {problem !== undefined && (
        <p className="stale-notice" role="alert">
          {serviceProblem(problem)}
          {data !== undefined && ' The last known state is shown.'}
        </p>
      )}
      {problem === undefined && oldNotice !== undefined && (
        <p className="stale-notice" role="status">
          {oldNotice}
        </p>
      )}
      {data === undefined && problem === undefined && <Ghosts>Loading the {plural} …</Ghosts>}
      {isEmpty && typed === '' && <div className="empty">{empty}</div>}
      {isEmpty && typed !== '' && (
        <NoMatch plural={plural} onClear={() => setQuery(null)}>
          No {singular}
          {next === '' ? '' : ' of those looked at'} matches <code>{typed}</code>.
        </NoMatch>
      )}
      {held.rows.length > 0 && (
        <div className="table-space" data-stale={isStale ? 'true' : undefined} {...held.holdProps}>
          <Grid
            label={sentenceCase(plural)}
            layout={layout}
            columns={columns}
            rows={held.rows}
            keyOf={keyOf}
            onOpen={(row) => {
              const href = hrefOf(row);
              if (href !== undefined) navigate(href);
            }}
            scope={scope}
          />
        </div>
      )}
      {props.children}
    </div>
  );
}
