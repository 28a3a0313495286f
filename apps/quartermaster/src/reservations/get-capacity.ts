import type { ServerFlags } from '../server/server-flags.ts';
import type { Output } from '../text/output.ts';
import { type ListFlags, showList } from '../text/show-list.ts';
import { capacityView } from './capacity-list.ts';
import { pollReservations } from './poll-reservations.ts';
import { askReservations } from './reservation-connection.ts';

export type GetCapacityFlags = ServerFlags & ListFlags;

/** What the cluster service can still promise. */
export async function getCapacity(_args: readonly string[], flags: GetCapacityFlags, output: Output, signal: AbortSignal): Promise<void> {
  const read = (ended: AbortSignal, asked: ServerFlags = flags) =>
    askReservations(asked, (client) => client.getStatus({}, { signal: ended }));
  const watch = () => pollReservations((ended, deadlineMs) => read(ended, { ...flags, deadlineMs }));
  await showList({ view: capacityView(), read, watch }, flags, output, signal);
}
