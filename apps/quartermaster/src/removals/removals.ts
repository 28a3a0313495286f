import { toJson } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { ListRemovalsResponseSchema, type Removal, RemovalState, RemovalsService } from '@quartermaster/api/removals';
import type { ServiceClient } from '@quartermaster/rpc';
import { findServer } from '../server/find-server.ts';
import { connectTo, using } from '../server/server-connection.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import type { ServerName } from '../server/servers.ts';
import { type Asked, insistOnYes, person } from '../text/confirm.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { table } from '../text/table.ts';
import { ago } from '../text/time-text.ts';

interface RoleFlags extends ServerFlags {
  /** Whose removals are meant. */
  readonly role: ServerName;
}

export interface ListFlags extends RoleFlags {
  readonly json: boolean;
}

export interface ApproveFlags extends RoleFlags {
  readonly yes: boolean;
}

export async function listRemovals(flags: ListFlags, { out }: Output): Promise<void> {
  const answer = await ask(flags, (client) => client.listRemovals({}));
  out.write(
    flags.json
      ? formatDocument(toJson(ListRemovalsResponseSchema, answer, { alwaysEmitImplicit: true }), 'json')
      : removalsText(answer.removals, flags.role, Date.now()),
  );
}

/** Shows what it is about and asks. Where nobody is there to ask, it must have been said with `--yes`. */
export async function approveRemoval(id: string, flags: ApproveFlags, { out }: Output, asked: Asked = person): Promise<void> {
  const removal = await ask(flags, async (client) => {
    const { removals } = await client.listRemovals({});
    const waiting = removals.find((each) => each.id === id && each.state === RemovalState.WAITING);
    if (waiting !== undefined && !flags.yes) await confirm(waiting, asked);
    return (await client.approveRemoval({ id })).removal;
  });
  out.write(`removal ${id}: approved; ${removal?.names.length ?? 0} ${removal?.what} will be removed\n`);
}

async function confirm(removal: Removal, asked: Asked): Promise<void> {
  const what = `${removal.names.length} ${removal.what}`;
  await insistOnYes(`Remove ${what}: ${namesText({ ...removal, more: 0 })}?`, `approving removes ${what}`, 'nothing was approved', asked);
}

async function ask<T>(flags: RoleFlags, question: (client: ServiceClient<typeof RemovalsService>) => Promise<T>): Promise<T> {
  const connection = connectTo(flags.role, findServer(flags.role, flags, process.env));
  return await using(connection, (open) => question(open.client(RemovalsService)));
}

/** Of commands that name none. */
const defaultRole: ServerName = 'inventory';
const maxNames = 10;

/** What waits and what was approved, and the command that a person needs next. */
function removalsText(removals: readonly Removal[], role: ServerName, now: number): string {
  if (removals.length === 0) return 'No removals are waiting for approval.\n';
  const rows = removals.map((removal) => {
    const isWaiting = removal.state === RemovalState.WAITING;
    const at = isWaiting ? removal.since : removal.approvedAt;
    const age = at === undefined ? '' : ago(now - timestampMs(at));
    return [
      removal.id,
      isWaiting ? 'waiting' : `approved by ${removal.approvedBy}`,
      age,
      String(removal.names.length + removal.more),
      removal.what,
    ];
  });
  const waiting = removals.filter(({ state }) => state === RemovalState.WAITING);
  const flag = role === defaultRole ? '' : ` --role ${role}`;
  const notes = waiting.map(
    (removal) =>
      `\n${removal.id}: ${removal.reason}.\n  ${namesText(removal)}\n  If they are gone for good: quartermaster removals approve ${removal.id}${flag}\n`,
  );
  return [table(['ID', 'STATE', 'AGE', 'OBJECTS', 'WHAT'], rows), ...notes].join('');
}

/** Some of the names, and how many there are besides. */
function namesText({ names, more }: Removal): string {
  const shown = names.slice(0, maxNames);
  const rest = names.length - shown.length;
  const inBatch = rest === 0 ? '' : ` and ${rest} more (--json lists all)`;
  return `${shown.join(', ')}${inBatch}${more === 0 ? '' : `; ${more} others wait for the next batch`}`;
}
