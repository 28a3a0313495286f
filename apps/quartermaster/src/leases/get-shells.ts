import { toJson } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { type TenantShell, TenantShellSchema } from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { pollReservations } from '../reservations/poll-reservations.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import type { Listing, ListView } from '../text/listing.ts';
import type { Output } from '../text/output.ts';
import { type ListFlags, showList } from '../text/show-list.ts';
import { ago, clockText } from '../text/time-text.ts';
import { askLeases, readShells } from './lease-connection.ts';

export interface GetShellsFlags extends ServerFlags, ListFlags {
  readonly owner?: string | undefined;
}

/** Shells that tenants opened, the newest first. */
export async function getShells(_args: readonly string[], flags: GetShellsFlags, output: Output, signal: AbortSignal): Promise<void> {
  const read = (ended: AbortSignal, asked: ServerFlags = flags) =>
    askLeases(asked, (client) => readShells(client, { owner: flags.owner }, ended));
  const watch = () => pollReservations((ended, deadlineMs) => read(ended, { ...flags, deadlineMs }));
  await showList({ view: shellView, read, watch }, flags, output, signal);
}

export const shellView: ListView<readonly TenantShell[]> = {
  list: (shells, { wide, now }): Listing => ({
    header: ['TIME', 'LEASE', 'SERVICE', 'POD', 'FROM', 'PROOF', 'LASTED', 'OUTCOME', ...(wide ? ['FINGERPRINT', 'REPLICA'] : [])],
    rows: shells.map((shell) => {
      const { name, order, service, pod, address, proof, openedAt, outcome, fingerprint, replica } = shell;
      return {
        key: name,
        cells: [
          openedAt === undefined ? '?' : clockText(timestampMs(openedAt)),
          orderText(order ?? {}),
          ...[service, pod, address, proof],
          lastedText(shell, now),
          isOpen(shell) ? 'open' : outcome,
          ...(wide ? [fingerprint, replica] : []),
        ],
      };
    }),
    whenEmpty: 'No shell is on record.',
    notes: [],
  }),
  document: (shells) => ({ shells: shells.map(jsonOf) }),
  objects: (shells) => new Map(shells.map((each) => [each.name, jsonOf(each)])),
  names: (shells) => shells.map(({ name }) => name),
};

/** `3, 1 of them open, last 5m ago`, of the newest first. */
export function shellsText(shells: readonly TenantShell[], now: number): string {
  const [last] = shells;
  if (last === undefined) return 'none';
  const open = shells.filter(isOpen).length;
  const at = last.openedAt === undefined ? [] : [`last ${ago(now - timestampMs(last.openedAt))} ago`];
  return [String(shells.length), ...(open === 0 ? [] : [`${open} of them open`]), ...at].join(', ');
}

/** One of which nobody knows when it ended has an outcome that says so. */
const isOpen = ({ closedAt, outcome }: TenantShell): boolean => closedAt === undefined && outcome === '';

function lastedText(shell: TenantShell, now: number): string {
  const { openedAt, closedAt } = shell;
  if (openedAt === undefined || (closedAt === undefined && !isOpen(shell))) return '?';
  return ago((closedAt === undefined ? now : timestampMs(closedAt)) - timestampMs(openedAt));
}

const jsonOf = (each: TenantShell): unknown => toJson(TenantShellSchema, each, { alwaysEmitImplicit: true });
