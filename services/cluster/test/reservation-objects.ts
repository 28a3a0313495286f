import type { Reservation as ReservationObject } from '@quartermaster/api/reservation';
import type { Reservation } from '../src/model/reservation.ts';
import { specOf } from '../src/reservations/reservation-object.ts';

/** As the API server has it. */
export function objectOf(reservation: Reservation): ReservationObject {
  const { name, uid, resourceVersion, createdAt, isConfirmed, phase, leaseNamespace } = reservation;
  return JSON.parse(
    JSON.stringify({
      metadata: { name, uid, resourceVersion, creationTimestamp: new Date(createdAt).toISOString() },
      spec: specOf(reservation),
      status: { confirmed: isConfirmed, phase: phase === 'active' ? 'Active' : 'Pending', leaseNamespace },
    }),
  ) as ReservationObject;
}
