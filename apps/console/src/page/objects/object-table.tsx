import { type ComponentProps, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useLocation } from 'wouter';
import type { KnownValues } from '../../api-field.ts';
import { isPassing, problemText } from '../api/api-error.ts';
import type { ApiObject } from '../api/api-object.ts';
import { messageOf, type ObjectKind, objectHref, ownerTitle } from '../api/object-kind.ts';
import { useFeedFreshness } from '../api/use-feed.ts';
import { useObjectList } from '../api/use-object-list.ts';
import { useObjectFilter } from '../filter/use-object-filter.ts';
import { formatInteger, sentenceCase } from '../model/amounts.ts';
import { orderText, parseOrder } from '../model/grid-order.ts';
import { Grid } from '../parts/table/grid.tsx';
import { HeldNote } from '../parts/table/held-note.tsx';
import { NoMatch } from '../parts/table/no-match.tsx';
import { ServerFilter } from '../parts/table/server-filter.tsx';
import { useQuery } from '../parts/table/use-query.ts';
import { Ghosts } from '../parts/waiting.tsx';
import { useSession } from '../session/session.ts';
import { CreateButton } from './create-button.tsx';
import { nameColumn, type ObjectColumn } from './object-columns.tsx';

interface ObjectTableProps<T extends ApiObject> {
  readonly kind: ObjectKind;
  /** Names the widths in the style sheet: `host` -> .host-columns. */
  readonly layout: string;
  /** Beside the name, which is always the first. */
  readonly columns: readonly ObjectColumn<T>[];
  readonly filterHint: string;
  readonly examples?: Readonly<Record<string, string>> | undefined;
  /** Texts that occur in fields, for the completions of the filter. */
  readonly known?: KnownValues | undefined;
  /** How a new one is made, by those who may. */
  readonly create?: Omit<ComponentProps<typeof CreateButton<T>>, 'kind'> | undefined;
  /** What else can be done. */
  readonly actions?: ReactNode;
  /** When there is nothing at all: what would be here, and how it gets here. */
  readonly empty: ReactNode;
}

/** All objects of a kind, up to hundreds of thousands: filter and order are the API's own, and both are in the address. */
export function ObjectTable<T extends ApiObject>(props: ObjectTableProps<T>) {
  const { kind, layout, columns, filterHint, examples = {}, known = nothingKnown, create, actions, empty } = props;
  const title = sentenceCase(kind.plural);
  const message = messageOf(useSession(), kind);
  const [, navigate] = useLocation();
  const [query, setFilter] = useQuery('q');
  const typed = query ?? '';
  const filter = useObjectFilter(message, typed, known);
  const [sort, setSort] = useQuery('sort');
  const gridColumns = useMemo(
    () => [nameColumn(kind), ...columns].map((column) => ({ ...column, isUnordered: column.orderBy === undefined })),
    [kind, columns],
  );
  const ordered = ['name', ...columns.filter(({ orderBy }) => orderBy !== undefined).map(({ name }) => name)] as const;
  const order = parseOrder(sort, ordered);
  const path = gridColumns.find(({ name }) => name === order.column)?.orderBy ?? '';
  const list = useObjectList<T>(kind, { filter, order: `${path}${order.isDescending ? ' desc' : ''}` });
  const { total, rows, problem, changes, isCurrent } = list;
  const isStale = useFeedFreshness().kind === 'stale';
  const isRefused = problem?.code === 'invalid_argument';
  const lastGood = useRef('');
  useEffect(() => {
    if (isCurrent && !isRefused) lastGood.current = typed;
  }, [isCurrent, isRefused, typed]);
  const shownFilter = isRefused ? lastGood.current : typed;
  const showAll = (): void => setFilter(null);
  return (
    <div className="full-height">
      <header className="page-head">
        <h1>{title}</h1>
        <p className="dim" aria-live="polite" data-testid="object-count">
          {total === undefined
            ? ''
            : `${formatInteger(total)} ${total === 1 ? kind.singular : kind.plural}${shownFilter === '' ? '' : total === 1 ? ' matches' : ' match'}`}
          {isRefused && total !== undefined && ` ${lastGoodWords(shownFilter)}`}
        </p>
        <HeldNote changes={changes} onRelease={list.release} />
        {actions !== undefined && <div className="page-actions">{actions}</div>}
        {create !== undefined && (
          <div className="page-actions">
            <CreateButton<T> kind={kind} {...create} />
          </div>
        )}
      </header>
      <ServerFilter
        label={`Filter ${kind.plural}`}
        hint={filterHint}
        value={typed}
        onChange={setFilter}
        problem={problem}
        message={message}
        known={known}
        examples={examples}
      />
      {problem !== undefined && !isRefused && (total === undefined || !isPassing(problem)) && (
        <p className="stale-notice" role="alert">
          {problemText(problem, ownerTitle(kind))}
        </p>
      )}
      {total === undefined && problem === undefined && <Ghosts>Loading the {kind.plural} …</Ghosts>}
      {total === undefined && isRefused && (
        <NoMatch plural={kind.plural} onClear={showAll}>
          The filter is not valid.
        </NoMatch>
      )}
      {total === 0 && isCurrent && typed === '' && <div className="empty">{empty}</div>}
      {total === 0 && isCurrent && typed !== '' && (
        <NoMatch plural={kind.plural} onClear={showAll}>
          No {kind.singular} matches <code>{typed}</code>.
        </NoMatch>
      )}
      {total !== undefined && !(total === 0 && isCurrent) && (
        <div className="table-space" data-stale={isStale || isRefused ? 'true' : undefined} {...list.holdProps}>
          <Grid
            label={title}
            layout={layout}
            columns={gridColumns}
            rows={rows}
            keyOf={keyOf}
            onOpen={({ id }) => navigate(objectHref(kind, id))}
            order={order}
            onOrder={(next) => setSort(orderText(next, ordered))}
            onShow={list.show}
            scope={`${typed}\n${sort ?? ''}`}
          />
        </div>
      )}
    </div>
  );
}

/** What stands beside the count when the filter was refused: what is shown is not what was asked for. */
export const lastGoodWords = (filter: string): string =>
  `in the last good result, ${filter === '' ? 'without a filter' : `for ${filter}`}: the filter above is not applied`;

const nothingKnown: KnownValues = {};

const keyOf = ({ id }: ApiObject): string => id;
