import { type ReactNode, useMemo } from 'react';
import { useLocation } from 'wouter';
import type { ApiObject } from '../api/api-object.ts';
import type { ObjectKind } from '../api/object-kind.ts';
import { useFeedFreshness } from '../api/use-feed.ts';
import { useObjectList } from '../api/use-object-list.ts';
import type { KnownValues } from '../filter/complete-cel.ts';
import { useMessageOf } from '../filter/use-api-fields.ts';
import { isPassing } from '../http/api-error.ts';
import { problemText } from '../http/problem-text.ts';
import { formatInteger } from '../model/amounts.ts';
import { Grid, type GridColumn, type GridOrder } from '../parts/grid.tsx';
import { HeldNote } from '../parts/held-note.tsx';
import { ServerFilter } from '../parts/server-filter.tsx';
import { useQuery } from '../parts/use-query.ts';

export interface ObjectColumn<T> extends GridColumn<T> {
  /** What the API orders by: `metadata.name`. Default: this column cannot be ordered by, and its heading is plain. */
  readonly orderBy?: string | undefined;
}

interface ObjectTableProps<T extends ApiObject> {
  readonly kind: ObjectKind;
  readonly title: string;
  /** Names the widths in the style sheet: `host` -> .host-columns. */
  readonly layout: string;
  readonly columns: readonly ObjectColumn<T>[];
  /** Of a column, when the address names none. */
  readonly defaultOrder: string;
  readonly hrefOf: (object: T) => string;
  readonly filterHint: string;
  readonly examples?: Readonly<Record<string, string>> | undefined;
  /** Texts that occur in fields, for the completions of the filter. */
  readonly known?: KnownValues | undefined;
  /** Beside the title: buttons. */
  readonly actions?: ReactNode | undefined;
  /** Between the filter and the rows. */
  readonly children?: ReactNode | undefined;
  /** When there is nothing at all: what would be here, and how it gets here. */
  readonly empty: ReactNode;
}

/** All objects of a kind, up to hundreds of thousands: filter and order are the API's own, and both are in the address. */
export function ObjectTable<T extends ApiObject>(props: ObjectTableProps<T>) {
  const { kind, title, layout, columns, defaultOrder, hrefOf, filterHint, examples = {}, known, actions, children, empty } = props;
  const message = useMessageOf(kind);
  const [, navigate] = useLocation();
  const [filter, setFilter] = useQuery('q');
  const [sort, setSort] = useQuery('sort');
  const gridColumns = useMemo(() => columns.map((column) => ({ ...column, isUnordered: column.orderBy === undefined })), [columns]);
  const order = orderIn(sort ?? defaultOrder, columns);
  const list = useObjectList<T>(kind, { filter: filter ?? '', order: orderText(order, columns) });
  const { total, rows, problem, changes, isCurrent } = list;
  const isStale = useFeedFreshness().kind === 'stale';
  const isRefused = problem?.code === 'invalid_argument';
  return (
    <div className="full-height">
      <header className="page-head">
        <h1>{title}</h1>
        <p className="dim" aria-live="polite" data-testid="object-count">
          {total === undefined
            ? ''
            : `${formatInteger(total)} ${total === 1 ? kind.singular : kind.plural}${(filter ?? '') === '' ? '' : total === 1 ? ' matches' : ' match'}`}
        </p>
        <HeldNote changes={changes} onRelease={list.release} />
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      <ServerFilter
        label={`Filter ${kind.plural}`}
        hint={filterHint}
        value={filter ?? ''}
        onChange={setFilter}
        problem={problem}
        message={message}
        known={known}
        examples={examples}
      />
      {children}
      {problem !== undefined && !isRefused && (total === undefined || !isPassing(problem)) && (
        <p className="stale-notice" role="alert">
          {problemText(problem)}
        </p>
      )}
      {total === undefined && problem === undefined && (
        <div className="waiting" aria-busy="true">
          <p>Asking for the {kind.plural} …</p>
          <div className="ghost" />
          <div className="ghost" />
        </div>
      )}
      {total === undefined && isRefused && (
        <div className="empty">
          <p>Nothing can be listed by this filter.</p>
          <button type="button" className="quiet-button" onClick={() => setFilter(null)}>
            Show all {kind.plural}
          </button>
        </div>
      )}
      {total === 0 && isCurrent ? (
        <div className="empty">
          {(filter ?? '') === '' ? (
            empty
          ) : (
            <>
              <p>
                No {kind.singular} matches <code>{filter}</code>.
              </p>
              <button type="button" className="quiet-button" onClick={() => setFilter(null)}>
                Show all {kind.plural}
              </button>
            </>
          )}
        </div>
      ) : (
        total !== undefined && (
          <div className="table-space" data-stale={isStale ? 'true' : undefined} {...list.holdProps}>
            <Grid
              label={title}
              layout={layout}
              columns={gridColumns}
              rows={rows}
              keyOf={keyOf}
              onOpen={(object) => navigate(hrefOf(object))}
              order={order}
              onOrder={({ column, isDescending }) => setSort(`${isDescending ? '-' : ''}${column}`)}
              onShow={list.show}
              scope={`${filter ?? ''}\n${sort ?? ''}`}
            />
          </div>
        )
      )}
    </div>
  );
}

const keyOf = ({ id }: ApiObject): string => id;

/** As it stands in the address: `rack`, `-rack`. */
function orderIn<T>(text: string, columns: readonly ObjectColumn<T>[]): GridOrder<string> {
  const isDescending = text.startsWith('-');
  const name = text.replace(/^-/, '');
  const column = columns.find((each) => each.name === name && each.orderBy !== undefined)?.name;
  return column === undefined ? { column: columns[0]?.name ?? '', isDescending: false } : { column, isDescending };
}

/** As the API takes it. */
function orderText<T>({ column, isDescending }: GridOrder<string>, columns: readonly ObjectColumn<T>[]): string {
  const path = columns.find(({ name }) => name === column)?.orderBy;
  return path === undefined ? '' : `${path}${isDescending ? ' desc' : ''}`;
}
