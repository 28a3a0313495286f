import type { ReservationJson } from '@quartermaster/api/cluster';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { Panel } from '../parts/panel.tsx';
import { Grid } from '../parts/table/grid.tsx';
import { HeldNote } from '../parts/table/held-note.tsx';
import { useHeldRows } from '../parts/table/use-held-rows.ts';
import { columnsOfNode } from '../reservations/reservation-columns.tsx';
import { orderKey } from '../reservations/reservation-words.ts';
import { reservationHref, useReservations } from '../reservations/use-reservations.ts';
import { serviceProblem, useClusterAccess } from '../upstreams/use-cluster-service.ts';

const noReservations: readonly ReservationJson[] = [];
const pageSize = 100;

/** What of the node is promised to whom. Nothing where the console has no cluster service. */
export function NodeReservations({ name }: { readonly name: string }) {
  return useClusterAccess().isShown ? <Reservations name={name} /> : null;
}

function Reservations({ name }: { readonly name: string }) {
  const { data, isCurrent, problem } = useReservations({ node: name, pageSize });
  const held = useHeldRows((isCurrent ? data?.reservations : undefined) ?? noReservations, orderKey, name);
  const [, navigate] = useLocation();
  const columns = useMemo(() => columnsOfNode(name), [name]);
  const isMore = (data?.nextPageToken ?? '') !== '';
  return (
    <Panel
      title="Reservations"
      aside={isMore ? `the first ${pageSize}` : <HeldNote changes={held.changes} onRelease={held.release} />}
      isLastKnown={problem !== undefined && data !== undefined}
    >
      {problem !== undefined && <p className="empty-line">{serviceProblem(problem)}</p>}
      {held.rows.length > 0 ? (
        <div className="bounded-table">
          <div className="table-space" {...held.holdProps}>
            <Grid
              label="Reservations"
              layout="node-reservation"
              columns={columns}
              rows={held.rows}
              keyOf={orderKey}
              onOpen={({ order = {} }) => navigate(reservationHref(order))}
              scope={name}
            />
          </div>
        </div>
      ) : (
        problem === undefined && (
          <p className="empty-line">{isCurrent ? 'Nothing of this node is reserved.' : 'Loading the reservations …'}</p>
        )
      )}
    </Panel>
  );
}
