import type { ListReservationsResponseJson, OrderIdJson, ReservationJson } from '@quartermaster/api/cluster';
import { type Polled, usePolled } from '../upstreams/use-cluster-service.ts';

/** Which reservations, by what the service itself can tell apart. */
export interface ReservationsAsked {
  readonly owner?: string | undefined;
  readonly phase?: string | undefined;
  readonly node?: string | undefined;
  /** The type of a condition. */
  readonly condition?: string | undefined;
  readonly pageSize: number;
  /** Where the answer before says that there are more. */
  readonly pageToken?: string | undefined;
}

const oneIntervalMs = 3_000;

/** Of the service. */
export const reservationsPath = '/reservations';

/** One page of reservations, asked for again while it is in sight. */
export function useReservations(asked: ReservationsAsked): Polled<ListReservationsResponseJson> {
  return usePolled<ListReservationsResponseJson>(reservationsPath, { call: { query: { ...asked } } });
}

const parts = ({ owner = '', dseq = '0', gseq = 0, oseq = 0 }: OrderIdJson): string =>
  [owner, dseq, gseq, oseq].map(encodeURIComponent).join('/');

/** Of the service. */
export const reservationPath = (order: OrderIdJson): string => `/reservations/${parts(order)}`;

/** Of the page. */
export const reservationHref = (order: OrderIdJson): string => `/reservations/${parts(order)}`;

export function useReservation(order: OrderIdJson): Polled<{ readonly reservation?: ReservationJson }> {
  return usePolled(reservationPath(order), { everyMs: oneIntervalMs });
}
