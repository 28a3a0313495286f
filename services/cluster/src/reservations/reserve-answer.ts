import { StatusError } from '@quartermaster/kernel';
import type { Reservation } from '../model/reservation.ts';
import { orderName } from './order-name.ts';
import { isSameRequest } from './reservation-object.ts';
import type { Reserved, ReserveOrder } from './reserver.ts';

/** What is told of what stands to somebody who asks for that order. Throws already_exists where it promises something else. */
export function reserveAnswer(standing: Reservation, { request, owner, order }: ReserveOrder): Reserved {
  const isOfOrder = orderName(standing.order) === orderName(order);
  if (isOfOrder && standing.owner === owner && isSameRequest(standing.request, request)) return { kind: 'reserved', reservation: standing };
  throw new StatusError(
    'already_exists',
    `Reservation ${standing.name} promises something else to ${standing.owner}: unreserve it before the order is reserved anew`,
  );
}
