import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { problemText } from '../api/api-error.ts';
import { useFeedFreshness } from '../api/use-feed.ts';
import { completeRows } from '../filter/complete-rows.ts';
import { useRowFilter } from '../filter/use-row-filter.ts';
import { formatInteger } from '../model/amounts.ts';
import { lastGoodWords } from '../objects/object-table.tsx';
import { FilterField } from '../parts/table/filter-field.tsx';
import { Grid } from '../parts/table/grid.tsx';
import { HeldNote } from '../parts/table/held-note.tsx';
import { NoMatch } from '../parts/table/no-match.tsx';
import { useHeldRows } from '../parts/table/use-held-rows.ts';
import { useQuery } from '../parts/table/use-query.ts';
import { Ghosts } from '../parts/waiting.tsx';
import { useTyped } from '../pods/use-pods.ts';
import { useSession } from '../session/session.ts';
import type { TradedOrder } from './join-orders.ts';
import { orderHref } from './market-objects.ts';
import { keyOf, orderColumns, orderKeys } from './order-columns.tsx';
import { RevenuePanel } from './revenue-panel.tsx';
import { useTradedOrders } from './use-traded-orders.ts';

const none: readonly TradedOrder[] = [];

/** Orders of the market, what was bid on them and why not, and what the leases bring in. The filter is in the address. */
export function OrdersPage() {
  const isProvider = useSession().marketRole === 'provider';
  const [, navigate] = useLocation();
  const [query, setQuery] = useQuery('q');
  const typed = useTyped(query ?? '');
  const { rows, isMore, problem, leases } = useTradedOrders();
  const { found, problem: mistake, hint, lastGood } = useRowFilter(rows ?? none, typed, orderKeys);
  const complete = useMemo(() => completeRows(orderKeys, rows ?? none), [rows]);
  const held = useHeldRows(found, keyOf, typed);
  const hasDecisions = rows?.some(({ decision }) => decision !== undefined) ?? false;
  const columns = useMemo(() => orderColumns(isProvider, hasDecisions), [isProvider, hasDecisions]);
  const isStale = useFeedFreshness().kind === 'stale' || problem !== undefined;
  return (
    <div className="full-height" aria-busy={rows === undefined}>
      <header className="page-head">
        <h1>Orders and bids</h1>
        <p className="dim" aria-live="polite" data-testid="order-count">
          {rows !== undefined &&
            `${formatInteger(found.length)} ${found.length === 1 ? 'order' : 'orders'}${typed === '' ? '' : ' of those read'}`}
          {rows !== undefined && ', prices per month'}
          {isMore && `, the ${isProvider ? 'oldest' : 'newest'} of more`}
          {mistake !== undefined && ` ${lastGoodWords(lastGood)}`}
        </p>
        <HeldNote changes={held.changes} onRelease={held.release} />
      </header>
      <RevenuePanel leases={leases} isRead={rows !== undefined} isLastKnown={isStale} />
      <div className="filter-line">
        <FilterField
          label="Filter orders"
          hint="filter: words, state:open owner:acme, or CEL"
          complete={complete}
          problem={mistake}
          note={hint}
          value={query ?? ''}
          onChange={setQuery}
        />
      </div>
      {problem !== undefined && (
        <p className="stale-notice" role="alert">
          {problemText(problem, 'market')}
          {rows !== undefined && ' The last known state is shown.'}
        </p>
      )}
      {rows === undefined && problem === undefined && <Ghosts>Loading the orders …</Ghosts>}
      {rows !== undefined && held.rows.length === 0 && typed !== '' && (
        <NoMatch plural="orders" onClear={() => setQuery(null)}>
          No order matches <code>{typed}</code>.
        </NoMatch>
      )}
      {rows !== undefined && held.rows.length === 0 && typed === '' && (
        <div className="empty">
          <p>
            There are no orders. One appears here as soon as a tenant deploys: <code>quartermaster deploy FILE</code>.
          </p>
        </div>
      )}
      {held.rows.length > 0 && (
        <div className="table-space" data-stale={isStale ? 'true' : undefined} {...held.holdProps}>
          <Grid
            label="Orders and bids"
            layout={`${hasDecisions ? 'decided-' : ''}${isProvider ? 'own-' : ''}order`}
            columns={columns}
            rows={held.rows}
            keyOf={keyOf}
            onOpen={({ numbers }) => navigate(orderHref(numbers))}
            scope={typed}
          />
        </div>
      )}
    </div>
  );
}
