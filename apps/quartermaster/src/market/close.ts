import { Deployments, Leases } from '@quartermaster/api/market';
import { marketState } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import { type ApiConnection, withApi } from '../fulfillment/objects/api-connection.ts';
import { answered } from '../fulfillment/objects/object-client.ts';
import { objectDocument, objectJson } from '../fulfillment/objects/object-json.ts';
import { findObject } from '../fulfillment/objects/read-objects.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { type Asked, confirm, person } from '../text/confirm.ts';
import { formatDocument } from '../text/format-document.ts';
import { textAt } from '../text/json-path.ts';
import type { Output } from '../text/output.ts';

export interface CloseFlags extends ServerFlags {
  readonly reason?: string | undefined;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

const ends = { deployments: 'Its orders, bids and leases end.', leases: 'What runs there ends, and its group is ordered anew.' } as const;

/** Closes a deployment or a lease for good. A person at a terminal is asked before. That it is closed already is no error. */
export const closeObject =
  (plural: keyof typeof ends) =>
  async (
    [name = '']: readonly string[],
    flags: CloseFlags,
    { out }: Output,
    _signal?: AbortSignal,
    asked: Asked = person,
  ): Promise<void> => {
    const work = async (connection: ApiConnection): Promise<void> => {
      const { kind, schema, client } = await connection.objects(plural);
      const found = await findObject({ kind, schema, client, isPrivate: false }, name);
      const { id } = found;
      const isOver = marketState(objectJson(schema, found)).word === 'Closed';
      if (!flags.yes && !flags.dryRun && !isOver && !(await confirm(`Close ${kind.singular} ${id}? ${ends[plural]}`, asked)))
        throw new StatusError('failed_precondition', 'nothing was closed');
      const request = { id, reason: flags.reason ?? '', dryRun: flags.dryRun };
      const methods = connection.client(plural === 'leases' ? Leases : Deployments);
      const closed = answered((await methods.close(request)).object);
      if (flags.output !== 'text') {
        out.write(formatDocument(objectDocument(kind, schema, closed), flags.output));
        return;
      }
      const why = textAt(objectJson(schema, closed), 'status.closed_reason');
      const how = isOver ? 'was closed before' : flags.dryRun ? 'would be closed (dry run: nothing was written)' : 'closed';
      out.write(`${kind.singular} ${id} ${how}${why === '' ? '' : `: ${why}`}\n`);
    };
    await withApi(flags, work, 'market');
  };
