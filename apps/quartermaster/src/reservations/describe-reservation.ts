import type { ServerFlags } from '../server/server-flags.ts';
import type { Output } from '../text/output.ts';
import { paintFor } from '../text/paint.ts';
import { askReservations, findReservation } from './reservation-connection.ts';
import { reservationDescription } from './reservation-description.ts';

export async function describeReservation(
  [name = '']: readonly string[],
  flags: ServerFlags & { readonly exact: boolean },
  { out }: Output,
): Promise<void> {
  const reservation = await askReservations(flags, (client) => findReservation(client, name));
  out.write(reservationDescription(reservation, { exact: flags.exact, wide: true, now: Date.now(), paint: paintFor(out) }));
}
