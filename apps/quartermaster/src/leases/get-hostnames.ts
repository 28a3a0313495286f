import { toJson } from '@bufbuild/protobuf';
import { type ClaimedHostname, ClaimedHostnameSchema } from '@quartermaster/api/cluster';
import { ageText } from '../inventory/freshness-text.ts';
import { pollReservations } from '../reservations/poll-reservations.ts';
import { untilText } from '../reservations/time-left.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import type { Listing, ListView } from '../text/listing.ts';
import type { Output } from '../text/output.ts';
import { type ListFlags, showList } from '../text/show-list.ts';
import { askLeases, leaseText, readHostnames } from './lease-connection.ts';

export interface GetHostnamesFlags extends ServerFlags, ListFlags {
  readonly owner?: string | undefined;
}

/** Names that leases have, and those that were given back and are kept from others for a while. */
export async function getHostnames(_args: readonly string[], flags: GetHostnamesFlags, output: Output, signal: AbortSignal): Promise<void> {
  const read = (ended: AbortSignal, asked: ServerFlags = flags) =>
    askLeases(asked, (client) => readHostnames(client, flags.owner ?? '', ended));
  const watch = () => pollReservations((ended, deadlineMs) => read(ended, { ...flags, deadlineMs }));
  await showList({ view: hostnameView, read, watch }, flags, output, signal);
}

const orNothing = (text: string): string => (text === '' ? '-' : text);

export const hostnameView: ListView<readonly ClaimedHostname[]> = {
  list: (hostnames, look): Listing => ({
    header: ['HOSTNAME', 'STATE', 'LEASE', 'SERVICE', 'PORT', 'SINCE', 'FREE', ...(look.wide ? ['OWNER', 'STATIC'] : [])],
    rows: hostnames.map(({ hostname, owner, lease, service, externalPort, state, since, freeAt, isStatic }) => ({
      key: hostname,
      cells: [
        hostname,
        orNothing(state),
        leaseText(lease, owner),
        orNothing(service),
        externalPort === 0 ? '-' : String(externalPort),
        ageText(since, look.now),
        freeAt === undefined ? '-' : untilText(freeAt, look.now),
        ...(look.wide ? [orNothing(owner), isStatic ? 'yes' : 'no'] : []),
      ],
    })),
    whenEmpty: 'No hostname is claimed.',
    notes: [],
  }),
  document: (hostnames) => ({ hostnames: hostnames.map(jsonOf) }),
  objects: (hostnames) => new Map(hostnames.map((each) => [each.hostname, jsonOf(each)])),
  names: (hostnames) => hostnames.map(({ hostname }) => hostname),
};

const jsonOf = (each: ClaimedHostname): unknown => toJson(ClaimedHostnameSchema, each, { alwaysEmitImplicit: true });
