import type { ListReservationsRequest } from '@quartermaster/api/cluster';
import { ReservationPhase } from '@quartermaster/api/cluster';
import { invalidFields } from '@quartermaster/kernel';
import type { ReservationBook } from '../book/reservation-book.ts';
import type { Reservation } from '../model/reservation.ts';
import { byOrder, type Page, pageOf } from './page-of.ts';
import { shownConditions } from './reservation-conditions.ts';

type Asked = Omit<ListReservationsRequest, '$typeName' | '$unknown'>;

export function pageOfReservations(request: Asked, book: ReservationBook): Page<Reservation> {
  return pageOf(
    request,
    book.reservations().filter(filterOf(request, book)),
    byOrder<Reservation>(({ order }) => order),
  );
}

function filterOf({ owner, phase, node, condition }: Asked, book: ReservationBook): (reservation: Reservation) => boolean {
  const wanted = phaseOf(phase);
  return (reservation) =>
    (owner === '' || reservation.owner === owner) &&
    (wanted === undefined || reservation.phase === wanted) &&
    (node === '' || isOn(reservation, node, book)) &&
    (condition === '' || shownConditions(book, reservation).some(({ type }) => type === condition));
}

function phaseOf(phase: ReservationPhase): Reservation['phase'] | undefined {
  switch (phase) {
    case ReservationPhase.UNSPECIFIED:
      return undefined;
    case ReservationPhase.PENDING:
      return 'pending';
    case ReservationPhase.ACTIVE:
      return 'active';
    default:
      throw invalidFields([{ field: 'phase', description: `is ${String(phase)}; it must be PENDING, ACTIVE or left out` }]);
  }
}

function isOn({ name, plan }: Reservation, node: string, book: ReservationBook): boolean {
  const isPlanned = plan.units.some(({ replicas }) => replicas.some((replica) => replica.node === node));
  return isPlanned || book.podsOf(name).some((pod) => pod.node === node);
}
