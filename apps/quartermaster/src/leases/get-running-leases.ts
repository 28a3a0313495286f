import { LeaseRunState, type RunningLease } from '@quartermaster/api/cluster';
import { StatusError } from '@quartermaster/kernel';
import { pollReservations } from '../reservations/poll-reservations.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import type { Output } from '../text/output.ts';
import { type ListFlags, type ListSource, showList } from '../text/show-list.ts';
import { askLeases, type FoundLeases, findLease, type LeaseClient, missingLeases, readLeases } from './lease-connection.ts';
import { leaseView } from './lease-list.ts';

const states = {
  pending: LeaseRunState.PENDING,
  active: LeaseRunState.ACTIVE,
  error: LeaseRunState.ERROR,
  complete: LeaseRunState.COMPLETE,
} as const;

export interface GetRunningLeasesFlags extends ServerFlags, ListFlags {
  readonly owner?: string | undefined;
  readonly state?: keyof typeof states | undefined;
  readonly node?: string | undefined;
  readonly namespace?: string | undefined;
}

interface Found extends FoundLeases {
  /** That were asked for by name. */
  readonly missing: readonly string[];
}

/** Leases of this provider by order, or all that match. Those that do not exist are an error after the others were printed. */
export async function getRunningLeases(
  names: readonly string[],
  flags: GetRunningLeasesFlags,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const { owner, node, namespace } = flags;
  const filter = { owner, node, namespace, state: flags.state === undefined ? undefined : states[flags.state] };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (names.length > 0 && isFiltered) throw new StatusError('invalid_argument', 'filters cannot be combined with lease names');
  const read = (ended: AbortSignal, asked: ServerFlags = flags): Promise<Found> =>
    askLeases(asked, async (client) =>
      names.length > 0 ? await readNamed(client, names, ended) : { ...(await readLeases(client, filter, ended)), missing: [] },
    );
  const source: ListSource<Found> = {
    view: leaseView({ isFiltered }),
    read,
    watch: () => pollReservations((ended, deadlineMs) => read(ended, { ...flags, deadlineMs })),
    missing: ({ missing }) => (missing.length === 0 ? undefined : missingLeases(missing)),
  };
  await showList(source, flags, output, signal);
}

async function readNamed(client: LeaseClient, names: readonly string[], signal: AbortSignal): Promise<Found> {
  const leases: RunningLease[] = [];
  const missing: string[] = [];
  for (const name of new Set(names)) {
    try {
      leases.push(await findLease(client, name, signal));
    } catch (thrown) {
      if (!(thrown instanceof StatusError && thrown.code === 'not_found')) throw thrown;
      missing.push(name);
    }
  }
  return { leases, missing, stale: [], strangers: [] };
}
