import type { ListReservationsRequest } from '@quartermaster/api/cluster';
import { ReservationPhase } from '@quartermaster/api/cluster';
import { invalidFields } from '@quartermaster/kernel';
import * as z from 'zod';
import type { ReservationBook } from '../book/reservation-book.ts';
import type { OrderId } from '../model/order.ts';
import type { Reservation } from '../model/reservation.ts';
import { shownConditions } from './reservation-conditions.ts';

const defaultSize = 100;
const maxSize = 1000;

export interface ReservationPage {
  readonly reservations: readonly Reservation[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** By owner and order. A token is where the page before ended, so that reservations that come and go move nothing. */
export function pageOfReservations(
  request: Omit<ListReservationsRequest, '$typeName' | '$unknown'>,
  book: ReservationBook,
): ReservationPage {
  const { pageSize, pageToken } = request;
  if (pageSize < 0 || pageSize > maxSize) {
    const description = `is ${pageSize}; it must be between 1 and ${maxSize}, or 0 for ${defaultSize}`;
    throw invalidFields([{ field: 'page_size', description }]);
  }
  const size = pageSize === 0 ? defaultSize : pageSize;
  const after = pageToken === '' ? undefined : orderOfToken(pageToken);
  const isWanted = filterOf(request, book);
  const found = book
    .reservations()
    .filter((reservation) => (after === undefined || compareOrders(reservation.order, after) > 0) && isWanted(reservation))
    .toSorted((a, b) => compareOrders(a.order, b.order));
  const reservations = found.slice(0, size);
  const last = reservations.at(-1);
  return { reservations, nextPageToken: found.length > size && last !== undefined ? tokenOf(last.order) : '' };
}

export function compareOrders(a: OrderId, b: OrderId): number {
  if (a.owner !== b.owner) return a.owner < b.owner ? -1 : 1;
  if (a.dseq !== b.dseq) return a.dseq < b.dseq ? -1 : 1;
  return a.gseq - b.gseq || a.oseq - b.oseq;
}

function filterOf(
  { owner, phase, node, condition }: Omit<ListReservationsRequest, '$typeName' | '$unknown'>,
  book: ReservationBook,
): (reservation: Reservation) => boolean {
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

const tokenForm = z.tuple([z.string(), z.string().regex(/^\d{1,20}$/), z.number(), z.number()]);

const tokenOf = ({ owner, dseq, gseq, oseq }: OrderId): string =>
  Buffer.from(JSON.stringify([owner, String(dseq), gseq, oseq])).toString('base64url');

function orderOfToken(token: string): OrderId {
  try {
    const [owner, dseq, gseq, oseq] = tokenForm.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
    return { owner, dseq: BigInt(dseq), gseq, oseq };
  } catch {
    throw invalidFields([
      { field: 'page_token', description: 'is not a token of this service: pass next_page_token of the previous page, or leave it out' },
    ]);
  }
}
