import type { GetStatusResponseJson } from '@quartermaster/api/cluster';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { FilteredList } from '../lists/filtered-list.tsx';
import { useListQuery } from '../lists/use-list-query.ts';
import { conditionHref, reservationsHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { numberOf } from '../model/card-names.ts';
import { Dot } from '../parts/state-word.tsx';
import { useQuery } from '../parts/table/use-query.ts';
import { useClusterStatus } from '../upstreams/use-cluster-service.ts';
import { leaseColumns, reservationColumns } from './reservation-columns.tsx';
import { isAllNarrowed, narrowed, phaseName, reservationKeys } from './reservation-keys.ts';
import { orderKey } from './reservation-words.ts';
import { reservationHref, useReservations } from './use-reservations.ts';

/** Rows of a page; where the page itself looks for something, it looks through more of them at once. */
const pageSize = 200;
const lookedAtOnce = 1_000;

/** What is promised to whom, until when and over which nodes, a page at a time. Filter, phase and condition are in the address. */
export function ReservationsPage() {
  const [phase] = useQuery('phase');
  const [condition] = useQuery('condition');
  const list = useListQuery(`${phase ?? ''}\n${condition ?? ''}`);
  const polled = useReservations({
    ...narrowed(list.typed),
    ...(phase !== null && { phase: phaseName(phase) }),
    ...(condition !== null && { condition }),
    pageSize: isAllNarrowed(list.typed) ? pageSize : lookedAtOnce,
    pageToken: list.pages.token,
  });
  const { status, why } = useClusterStatus();
  // Where all of them are active, what each lease has is shown.
  const isOfLeases = phase === 'active';
  return (
    <FilteredList
      singular="reservation"
      plural="reservations"
      list={list}
      polled={polled}
      rows={polled.data?.reservations}
      keyOf={orderKey}
      hrefOf={({ order = {} }) => reservationHref(order)}
      layout={isOfLeases ? 'lease' : 'reservation'}
      columns={isOfLeases ? leaseColumns : reservationColumns}
      keys={reservationKeys}
      filterHint="filter: words, owner:akash1 node:gpu-01, or CEL"
      links={<PhaseLinks phase={phase} condition={condition} status={why === undefined ? status : undefined} />}
      empty={<NoReservations isOfPart={phase !== null || condition !== null} />}
    />
  );
}

function NoReservations({ isOfPart }: { readonly isOfPart: boolean }) {
  return isOfPart ? (
    <p>
      No reservation matches. <Link href={reservationsHref}>All reservations</Link>.
    </p>
  ) : (
    <p>
      Nothing is reserved. <code>npx quartermaster reserve</code> makes a reservation.
    </p>
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
