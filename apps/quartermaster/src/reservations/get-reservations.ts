import { type Reservation, ReservationPhase } from '@quartermaster/api/cluster';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import type { Output } from '../text/output.ts';
import { type ListFlags, type ListSource, showList } from '../text/show-list.ts';
import { pollReservations } from './poll-reservations.ts';
import {
  askReservations,
  findReservation,
  missingReservations,
  type ReservationClient,
  readReservations,
} from './reservation-connection.ts';
import { reservationView } from './reservation-list.ts';

export interface GetReservationsFlags extends ServerFlags, ListFlags {
  readonly owner?: string | undefined;
  readonly phase?: 'pending' | 'active' | undefined;
  readonly node?: string | undefined;
  readonly condition?: string | undefined;
}

interface Found {
  readonly reservations: readonly Reservation[];
  /** That were asked for by name. */
  readonly missing: readonly string[];
}

const phases = { pending: ReservationPhase.PENDING, active: ReservationPhase.ACTIVE } as const;

/** Reservations by order, or all that match. Those that do not exist are an error after the others were printed. */
export async function getReservations(
  names: readonly string[],
  flags: GetReservationsFlags,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const { owner, node, condition } = flags;
  const filter = { owner, node, condition, phase: flags.phase === undefined ? undefined : phases[flags.phase] };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (names.length > 0 && isFiltered) throw new StatusError('invalid_argument', 'filters cannot be combined with order names');
  const view = reservationView({ isFiltered });
  const read = (ended: AbortSignal, asked: ServerFlags = flags): Promise<Found> =>
    askReservations(asked, async (client) =>
      names.length > 0
        ? await readNamed(client, names, ended)
        : { reservations: await readReservations(client, filter, ended), missing: [] },
    );
  const source: ListSource<Found> = {
    view: {
      list: ({ reservations }, look) => view.list(reservations, look),
      document: ({ reservations }) => view.document(reservations),
      objects: ({ reservations }) => view.objects?.(reservations) ?? new Map(),
      names: ({ reservations }) => view.names?.(reservations) ?? [],
    },
    read,
    watch: () => pollReservations((ended, deadlineMs) => read(ended, { ...flags, deadlineMs })),
    missing: ({ missing }) => (missing.length === 0 ? undefined : missingReservations(missing)),
  };
  await showList(source, flags, output, signal);
}

async function readNamed(client: ReservationClient, names: readonly string[], signal: AbortSignal): Promise<Found> {
  const reservations: Reservation[] = [];
  const missing: string[] = [];
  for (const name of new Set(names)) {
    try {
      reservations.push(await findReservation(client, name, signal));
    } catch (thrown) {
      if (!(thrown instanceof StatusError && thrown.code === 'not_found')) throw thrown;
      missing.push(name);
    }
  }
  return { reservations, missing };
}
