import { toJson } from '@bufbuild/protobuf';
import { ListRemovalsResponseSchema, type Removal, RemovalState, RemovalsService } from '@quartermaster/api/removals';
import type { ServiceClient } from '@quartermaster/rpc';
import { findServer } from '../server/find-server.ts';
import { connectTo, using } from '../server/server-connection.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { type Asked, insistOnYes, person } from '../text/confirm.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { namesText, removalsText } from './removals-text.ts';

export interface ListFlags extends ServerFlags {
  readonly json: boolean;
}

export interface ApproveFlags extends ServerFlags {
  readonly yes: boolean;
}

export async function listRemovals(flags: ListFlags, { out }: Output): Promise<void> {
  const answer = await ask(flags, (client) => client.listRemovals({}));
  out.write(
    flags.json
      ? formatDocument(toJson(ListRemovalsResponseSchema, answer, { alwaysEmitImplicit: true }), 'json')
      : removalsText(answer.removals, Date.now()),
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

async function ask<T>(flags: ServerFlags, question: (client: ServiceClient<typeof RemovalsService>) => Promise<T>): Promise<T> {
  const connection = connectTo('inventory', findServer('inventory', flags, process.env));
  return await using(connection, (open) => question(open.client(RemovalsService)));
}
