import { expect, it } from 'vitest';
import { reservationState } from './reservation-state.ts';

it.each([
  [{ phase: 'RESERVATION_PHASE_PENDING', confirmed: true }, 'Pending', 'reserved'],
  [{ phase: 'RESERVATION_PHASE_ACTIVE', confirmed: true }, 'Active', 'allocated'],
  [{ phase: 'RESERVATION_PHASE_PENDING', confirmed: false }, 'Not confirmed', 'unknown'],
  [{ phase: 'RESERVATION_PHASE_PENDING' }, 'Not confirmed', 'unknown'],
  [{ phase: 'RESERVATION_PHASE_UNSPECIFIED', confirmed: true }, 'Unknown', 'unknown'],
  [{ phase: 'RESERVATION_PHASE_OF_TOMORROW', confirmed: true }, 'Unknown', 'unknown'],
])('says of a reservation %j that it is %s', (reservation, word, tone) => {
  expect(reservationState(reservation)).toEqual({ word, tone });
});
