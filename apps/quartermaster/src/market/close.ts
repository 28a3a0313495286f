import type { JsonObject } from '@bufbuild/protobuf';
import { Deployments, Leases } from '@quartermaster/api/market';
import { marketState, sentenceCase } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import type { Kind } from '../fulfillment/kinds/kind.ts';
import { groupsOf } from '../fulfillment/kinds/market-text.ts';
import { type ApiConnection, withApi } from '../fulfillment/objects/api-connection.ts';
import { answered } from '../fulfillment/objects/object-client.ts';
import { objectDocument, objectJson } from '../fulfillment/objects/object-json.ts';
import { findObject, findObjectIfAny } from '../fulfillment/objects/read-objects.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { type Asked, confirm, insistOnYes, person } from '../text/confirm.ts';
import { formatDocument } from '../text/format-document.ts';
import { textAt } from '../text/json-path.ts';
import type { Output } from '../text/output.ts';
import { actAsTenant } from './act-as-tenant.ts';
import { closingEffect } from './closing-effect.ts';
import { activeLeases } from './find-lease.ts';

export interface CloseFlags extends ServerFlags {
  readonly reason?: string | undefined;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

const ends = { deployments: 'Its orders, bids and leases end.', leases: 'The market creates a new order for its group.' } as const;

/** Closes a deployment or a lease for good. What runs is stopped only after a person has said so, or --yes. That it is closed already is no error. */
export const closeObject =
  (plural: keyof typeof ends) =>
  async (
    [name = '']: readonly string[],
    flags: CloseFlags,
    { out, err }: Output,
    _signal?: AbortSignal,
    asked: Asked = person,
  ): Promise<void> => {
    const work = async (connection: ApiConnection): Promise<void> => {
      const { kind, schema, client } = await connection.objects(plural);
      const found = await findObject({ kind, schema, client, isPrivate: false }, name);
      const { id } = found;
      const before = objectJson(schema, found);
      const isOver = marketState(before).word === 'Closed';
      if (!flags.yes && !flags.dryRun && !isOver) await ask(connection, kind, before, asked);
      const closed = await actAsTenant(connection, {
        owner: textAt(before, plural === 'leases' ? 'spec.order.owner' : 'status.owner'),
        tell: (line) => (flags.output === 'text' ? err.write(line) : undefined),
        work: async (acting) => {
          const methods = acting.client(plural === 'leases' ? Leases : Deployments);
          return answered((await methods.close({ id, reason: flags.reason ?? '', dryRun: flags.dryRun })).object);
        },
      });
      if (flags.output !== 'text') {
        out.write(formatDocument(objectDocument(kind, schema, closed), flags.output));
        return;
      }
      const why = textAt(objectJson(schema, closed), 'status.closed_reason');
      const how = isOver ? 'is already closed' : flags.dryRun ? 'would be closed (dry run: nothing was written)' : 'closed';
      out.write(`${kind.singular} ${id} ${how}${why === '' ? '' : `: ${why}`}\n`);
    };
    await withApi(flags, work, 'market');
  };

async function ask(connection: ApiConnection, { plural, singular }: Kind, object: JsonObject, asked: Asked): Promise<void> {
  const otherwise = 'nothing was closed';
  const leases = plural === 'leases' ? [object] : await leasesBelow(connection, textAt(object, 'id'));
  const deployment = plural === 'leases' ? await deploymentOf(connection, object) : object;
  const leased = new Set(leases.map((lease) => textAt(lease, 'spec.group_name')));
  const effect = closingEffect(groupsOf(deployment).filter((group) => leased.has(textAt(group, 'name'))));
  const question = `Close ${singular} ${textAt(object, 'id')}?`;
  const end = ends[plural as keyof typeof ends];
  if (leases.length > 0) {
    const stops = effect === '' ? 'what runs is stopped' : effect;
    await insistOnYes(`${question} ${sentenceCase(stops)}. ${end}`, stops, otherwise, asked);
  } else if (!(await confirm(`${question} ${end}`, asked))) throw new StatusError('failed_precondition', otherwise);
}

async function leasesBelow(connection: ApiConnection, deployment: string): Promise<readonly JsonObject[]> {
  const leases = await connection.objects('leases');
  return (await activeLeases(leases, deployment)).map((lease) => objectJson(leases.schema, lease));
}

async function deploymentOf(connection: ApiConnection, lease: JsonObject): Promise<JsonObject> {
  const deployments = await connection.objects('deployments');
  const found = await findObjectIfAny(deployments, textAt(lease, 'spec.order.dseq'));
  return found === undefined ? {} : objectJson(deployments.schema, found);
}
