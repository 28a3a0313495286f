import type { GetStatusResponseJson, ReservationJson } from '@quartermaster/api/cluster';
import { type ReactNode, useMemo, useState } from 'react';
import { Link } from 'wouter';
import { completeRows } from '../filter/complete-rows.ts';
import { useRowFilter } from '../filter/use-row-filter.ts';
import { conditionHref, reservationsHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { numberOf } from '../model/card-names.ts';
import { lastGoodWords } from '../objects/object-table.tsx';
import { Dot } from '../parts/state-word.tsx';
import { FilterField } from '../parts/table/filter-field.tsx';
import { HeldNote } from '../parts/table/held-note.tsx';
import { NoMatch } from '../parts/table/no-match.tsx';
import { useHeldRows } from '../parts/table/use-held-rows.ts';
import { useQuery } from '../parts/table/use-query.ts';
import { Ghosts } from '../parts/waiting.tsx';
import { useTyped } from '../pods/use-pods.ts';
import { serviceProblem, useClusterStatus } from '../upstreams/use-cluster-service.ts';
import { isAllNarrowed, narrowed, phaseName, reservationKeys } from './reservation-keys.ts';
import { ReservationTable } from './reservation-table.tsx';
import { orderKey, reservedRange } from './reservation-words.ts';
import { useReservations } from './use-reservations.ts';

const noReservations: readonly ReservationJson[] = [];
/** Rows of a page; where the page itself looks for something, it looks through more of them at once. */
const pageSize = 200;
const lookedAtOnce = 1_000;

/** Where a page of what was asked for begins. */
interface Place {
  readonly token: string | undefined;
  readonly before: number;
}

interface Way {
  readonly asked: string;
  readonly passed: readonly Place[];
  readonly at: Place;
}

const beginning: Place = { token: undefined, before: 0 };

/** What is promised to whom, until when and over which nodes, a page at a time. Filter, phase and condition are in the address. */
export function ReservationsPage() {
  const [query, setQuery] = useQuery('q');
  const [phase] = useQuery('phase');
  const [condition] = useQuery('condition');
  const typed = useTyped(query ?? '');
  const asked = `${phase ?? ''}\n${condition ?? ''}\n${typed}`;
  const [way, setWay] = useState<Way>({ asked, passed: [], at: beginning });
  // Another question begins at its first page.
  const { passed, at }: Way = way.asked === asked ? way : { asked, passed: [], at: beginning };
  const { data, isCurrent, problem } = useReservations({
    ...narrowed(typed),
    ...(phase !== null && { phase: phaseName(phase) }),
    ...(condition !== null && { condition }),
    pageSize: isAllNarrowed(typed) ? pageSize : lookedAtOnce,
    pageToken: at.token,
  });
  const rows = data?.reservations ?? noReservations;
  const { found, problem: mistake, hint, lastGood } = useRowFilter(rows, typed, reservationKeys);
  const complete = useMemo(() => completeRows(reservationKeys, rows), [rows]);
  const scope = `${asked}\n${at.token ?? ''}`;
  const held = useHeldRows(found, orderKey, scope);
  const { status, why } = useClusterStatus();
  const last = passed.at(-1);
  const next = data?.nextPageToken ?? '';
  const goTo = (place: Place, before: readonly Place[]): void => setWay({ asked, passed: before, at: place });
  const isFiltered = typed !== '' || phase !== null || condition !== null;
  return (
    <div className="full-height" aria-busy={!isCurrent}>
      <header className="page-head">
        <h1>Reservations</h1>
        {mistake !== undefined && data !== undefined && <p className="dim">{lastGoodWords(lastGood)}</p>}
        <HeldNote changes={held.changes} onRelease={held.release} />
      </header>
      <PhaseLinks phase={phase} condition={condition} status={why === undefined ? status : undefined} />
      <div className="filter-line">
        <FilterField
          label="Filter reservations"
          hint="filter: words, owner:akash1 node:gpu-01, or CEL"
          complete={complete}
          problem={mistake}
          note={hint}
          value={query ?? ''}
          onChange={setQuery}
        />
        <nav className="pager" aria-label="Pages of reservations">
          <span className="dim" data-testid="reservation-range">
            {data !== undefined && reservedRange({ found: found.length, looked: rows.length, before: at.before, isMore: next !== '' })}
          </span>
          <button
            type="button"
            className="quiet-button"
            disabled={last === undefined}
            onClick={() => last !== undefined && goTo(last, passed.slice(0, -1))}
          >
            previous
          </button>
          <button
            type="button"
            className="quiet-button"
            disabled={next === '' || !isCurrent}
            onClick={() => goTo({ token: next, before: at.before + rows.length }, [...passed, at])}
          >
            next
          </button>
        </nav>
      </div>
      {problem !== undefined && (
        <p className="stale-notice" role="alert">
          {serviceProblem(problem)}
          {data !== undefined && ' What is shown is what was known last.'}
        </p>
      )}
      {data === undefined && problem === undefined && <Ghosts>Loading the reservations …</Ghosts>}
      {data !== undefined && isCurrent && held.rows.length === 0 && (
        <NoReservations isFiltered={isFiltered} isMore={next !== ''} query={typed} />
      )}
      {held.rows.length > 0 && (
        <ReservationTable
          held={held}
          scope={scope}
          isOfLeases={phase === 'active'}
          isStale={mistake !== undefined || problem !== undefined}
        />
      )}
    </div>
  );
}

interface NoReservationsProps {
  readonly isFiltered: boolean;
  /** Whether there are others that were not looked at. */
  readonly isMore: boolean;
  readonly query: string;
}

function NoReservations({ isFiltered, isMore, query }: NoReservationsProps) {
  const [, setQuery] = useQuery('q');
  if (query !== '') {
    return (
      <NoMatch plural="reservations" onClear={() => setQuery(null)}>
        No reservation{isMore ? ' of those looked at' : ''} matches <code>{query}</code>.
      </NoMatch>
    );
  }
  return (
    <div className="empty">
      {isFiltered ? (
        <p>
          No reservation matches. <Link href={reservationsHref}>All reservations</Link>.
        </p>
      ) : (
        <p>
          Nothing is reserved. <code>npx quartermaster reserve</code> makes a reservation.
        </p>
      )}
    </div>
  );
}

interface PhaseLinksProps {
  readonly phase: string | null;
  readonly condition: string | null;
  /** Undefined while nobody has counted. */
  readonly status: GetStatusResponseJson | undefined;
}

/** All of them, those of each phase, and those that cannot be kept as things are. */
function PhaseLinks({ phase, condition, status }: PhaseLinksProps) {
  const counted = (count: string | undefined): ReactNode =>
    status !== undefined && <span className="dim">{formatInteger(numberOf(count))}</span>;
  const [pending, active] = [status?.pending?.count, status?.active?.count];
  return (
    <nav className="phases" aria-label="Phases">
      <Link href={reservationsHref} aria-current={phase === null && condition === null ? 'true' : undefined}>
        All {counted(String(numberOf(pending) + numberOf(active)))}
      </Link>
      <Link href={`${reservationsHref}?phase=pending`} aria-current={phase === 'pending' ? 'true' : undefined}>
        <Dot tone="reserved" />
        Pending {counted(pending)}
      </Link>
      <Link href={`${reservationsHref}?phase=active`} aria-current={phase === 'active' ? 'true' : undefined}>
        <Dot tone="allocated" />
        Active {counted(active)}
      </Link>
      <Link href={conditionHref('OverCommitted')} aria-current={condition === 'OverCommitted' ? 'true' : undefined}>
        <Dot tone="failed" />
        Over-committed {counted(status?.overCommitted)}
      </Link>
    </nav>
  );
}
