import type { Reservation } from '@quartermaster/api/cluster';
import type { ListNames } from '../server/resource.ts';
import { nodesOf } from './plan-text.ts';
import { askReservations, nameOf, readReservations } from './reservation-connection.ts';

const namesIn =
  (pick: (reservation: Reservation) => readonly string[]): ListNames =>
  async (_prefix, flags) => {
    const reservations = await askReservations(flags, (client) => readReservations(client, {}));
    return [...new Set(reservations.flatMap(pick))].toSorted();
  };

export const reservationNames = namesIn((reservation) => [nameOf(reservation)]);

export const ownerNames = namesIn(({ owner }) => (owner === '' ? [] : [owner]));

/** On which something is planned. */
export const plannedNodes = namesIn(({ plan }) => nodesOf(plan));
