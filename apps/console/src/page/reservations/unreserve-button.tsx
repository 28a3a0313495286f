import type { ReservationJson, UnreserveResponseJson } from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { callApi } from '../api/call-api.ts';
import { reservationsHref } from '../model/addresses.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FieldFrame, FieldProblem } from '../parts/field-frame.tsx';
import { useNotify } from '../parts/notice.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { clusterServicePath, serviceKey, statusPath, unreserveObstacle, useClusterAccess } from '../upstreams/use-cluster-service.ts';
import { amountWords, shortOrder, unreserveConsequences } from './reservation-words.ts';
import { reservationPath, reservationsPath } from './use-reservations.ts';

/** Gives a reservation back, after a question; disabled with the reason for those who may not. */
export function UnreserveButton({ reservation }: { readonly reservation: ReservationJson }) {
  const [isOpen, setOpen] = useState(false);
  const obstacle = unreserveObstacle(useClusterAccess());
  const close = (): void => setOpen(false);
  return (
    <>
      <button
        type="button"
        className="quiet-button danger-link"
        disabled={obstacle !== undefined}
        title={obstacle}
        onClick={() => setOpen(true)}
      >
        Unreserve
      </button>
      <Dialog title={`Unreserve ${shortOrder(reservation.order ?? {})}`} isOpen={isOpen} onClose={close}>
        <UnreserveForm reservation={reservation} onClose={close} />
      </Dialog>
    </>
  );
}

function UnreserveForm({ reservation, onClose }: { readonly reservation: ReservationJson; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const { order = {}, uid = '', phase } = reservation;
  const number = order.dseq ?? '0';
  // Somebody's workload may be behind it.
  const needsTyping = phase === 'RESERVATION_PHASE_ACTIVE';
  const isReady = !needsTyping || typed === number;
  const { submit, isBusy, problem } = useSubmit(isReady, async () => {
    // This one, and none that was made anew for the same order since.
    const call = { method: 'DELETE', query: { uid } } as const;
    const { reservation: given } = await callApi<UnreserveResponseJson>(`${clusterServicePath}${reservationPath(order)}`, call);
    const back = amountWords(reservation.held);
    notify(given === undefined ? 'It was gone already.' : `Unreserved ${orderText(order)}${back === '' ? '.' : `: ${back} given back.`}`);
    // Lists begin anew without it. It is not asked for again: it is not there any more.
    queries.removeQueries({ queryKey: [serviceKey, reservationsPath] });
    void queries.invalidateQueries({ queryKey: [serviceKey, statusPath] });
    onClose();
    navigate(reservationsHref);
  });
  return (
    <form className="form" noValidate onSubmit={submit}>
      <ul className="consequences">
        {unreserveConsequences(reservation).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      {needsTyping && (
        <FieldFrame
          label={
            <>
              Type <code>{number}</code> to confirm
            </>
          }
        >
          {(control) => (
            <input {...control} className="field mono" value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} />
          )}
        </FieldFrame>
      )}
      <FieldProblem problem={problem} />
      <div className="form-actions">
        <button type="submit" className="danger-button" disabled={!isReady || isBusy} title={isReady ? undefined : `Type ${number} first.`}>
          Unreserve
        </button>
        <button type="button" className="quiet-button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
