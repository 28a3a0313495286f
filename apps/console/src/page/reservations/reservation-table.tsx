import type { ReservationJson } from '@quartermaster/api/cluster';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { Grid } from '../parts/table/grid.tsx';
import type { Held } from '../parts/table/use-held-rows.ts';
import { columnsOfNode, leaseColumns, reservationColumns } from './reservation-columns.tsx';
import { orderKey } from './reservation-words.ts';
import { reservationHref } from './use-reservations.ts';

interface ReservationTableProps {
  readonly held: Held<ReservationJson>;
  readonly scope: string;
  /** Whether all of them are active: then what each lease has is shown. */
  readonly isOfLeases?: boolean | undefined;
  /** On the page of this node. */
  readonly ofNode?: string | undefined;
  /** What is shown is not what was asked for, or was not confirmed of late. */
  readonly isStale?: boolean | undefined;
}

/** Enter, or a click on its order, opens the page of a reservation. */
export function ReservationTable({ held: { rows, holdProps }, scope, isOfLeases = false, ofNode, isStale }: ReservationTableProps) {
  const [, navigate] = useLocation();
  const columns = useMemo(() => {
    if (ofNode !== undefined) return columnsOfNode(ofNode);
    return isOfLeases ? leaseColumns : reservationColumns;
  }, [ofNode, isOfLeases]);
  return (
    <div className="table-space" data-stale={isStale === true ? 'true' : undefined} {...holdProps}>
      <Grid
        label="Reservations"
        layout={ofNode !== undefined ? 'node-reservation' : isOfLeases ? 'lease' : 'reservation'}
        columns={columns}
        rows={rows}
        keyOf={orderKey}
        onOpen={({ order = {} }) => navigate(reservationHref(order))}
        scope={scope}
      />
    </div>
  );
}
