import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { toJson } from '@bufbuild/protobuf';
import { ListRemovalsResponseSchema, type Removal, RemovalState, RemovalsService } from '@quartermaster/api/removals';
import { StatusError } from '@quartermaster/kernel';
import type { ServiceClient } from '@quartermaster/rpc';
import { findServer } from '../server/find-server.ts';
import { connectTo, using } from '../server/server-connection.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { namesText, removalsText } from './removals-text.ts';

export interface ListFlags extends ServerFlags {
  readonly json: boolean;
}

export interface ApproveFlags extends ServerFlags {
  readonly yes: boolean;
}

export interface Asked {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
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
export async function approveRemoval(
  id: string,
  flags: ApproveFlags,
  { out }: Output,
  asked: Asked = { input: process.stdin, output: process.stderr },
): Promise<void> {
  const removal = await ask(flags, async (client) => {
    const { removals } = await client.listRemovals({});
    const waiting = removals.find((each) => each.id === id && each.state === RemovalState.WAITING);
    if (waiting !== undefined && !flags.yes) await confirm(waiting, asked);
    return (await client.approveRemoval({ id })).removal;
  });
  out.write(`removal ${id}: approved; ${removal?.names.length ?? 0} ${removal?.what} will be removed\n`);
}

async function confirm(removal: Removal, { input, output }: Asked): Promise<void> {
  const what = `${removal.names.length} ${removal.what}`;
  if (input.isTTY !== true)
    throw new StatusError('failed_precondition', `approving removes ${what}, and nobody is here to ask: add --yes if it is meant`);
  const questions = createInterface({ input, output });
  try {
    const answer = await questions.question(`Remove ${what}: ${namesText({ ...removal, more: 0 })}? Type yes: `);
    if (answer.trim().toLowerCase() !== 'yes') throw new StatusError('failed_precondition', 'nothing was approved');
  } finally {
    questions.close();
  }
}

async function ask<T>(flags: ServerFlags, question: (client: ServiceClient<typeof RemovalsService>) => Promise<T>): Promise<T> {
  const connection = connectTo('inventory', findServer('inventory', flags, process.env));
  return await using(connection, (open) => question(open.client(RemovalsService)));
}
