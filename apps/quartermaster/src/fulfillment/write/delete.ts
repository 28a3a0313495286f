import { pause, StatusError, systemClock } from '@quartermaster/kernel';
import type { Ask } from '../../server/resource.ts';
import type { ServerFlags } from '../../server/server-flags.ts';
import { confirm, person } from '../../text/confirm.ts';
import { entriesAt, isJsonObject, listAt, textAt } from '../../text/json-path.ts';
import { paintFor } from '../../text/paint.ts';
import type { KindPlural } from '../kinds/kind.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { type ApiConnection, type ObjectApi, withApi } from '../objects/api-connection.ts';
import type { AnyObject } from '../objects/object-client.ts';
import { objectJson } from '../objects/object-json.ts';
import { findObject, nameOf, readByIds, words } from '../objects/read-objects.ts';
import { writtenText } from './written-text.ts';

export interface DeleteFlags extends ServerFlags {
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** Until they are gone, and not only marked. */
  readonly wait: boolean;
}

const pollIntervalMs = 500;

/** Deletes objects by name or id. A person at a terminal is asked before several go, or one that is in use. */
export const deleteObjects =
  (kind: KindPlural): Ask<DeleteFlags> =>
  async (names, flags, output, signal) => {
    const work = async (connection: ApiConnection): Promise<void> => {
      const api = await connection.objects(kind);
      const found: AnyObject[] = [];
      // All of them before any goes: a name that is mistyped must not leave half of it done.
      for (const name of names) found.push(await findObject(api, name));
      const objects = [...new Map(found.map((object) => [object.id, object])).values()];
      if (!flags.yes && !flags.dryRun) await confirmDeletion(api, objects);
      for (const object of objects) {
        await api.client.delete({ id: object.id, dryRun: flags.dryRun });
        const isGone = flags.dryRun || flags.wait || (await readByIds(api, [object.id])).length === 0;
        if (flags.wait && !flags.dryRun) await untilGone(api, object.id, signal);
        const look = { format: 'text', isDryRun: flags.dryRun, paint: paintFor(output.out) } as const;
        output.out.write(writtenText(api, object, isGone ? 'deleted' : 'being deleted', look));
      }
    };
    await withApi(flags, work, kindNamed(kind).server);
  };

async function confirmDeletion(api: ObjectApi, objects: readonly AnyObject[]): Promise<void> {
  const uses = objects.flatMap((object) => usesOf(api, object));
  if (objects.length < 2 && uses.length === 0) return;
  const what = objects.length === 1 ? `the ${words(api.kind.singular)}` : `these ${objects.length} ${words(api.kind.plural)}:`;
  const used = uses.length === 0 ? '' : ` In use: ${uses.join('; ')}.`;
  if (await confirm(`Delete ${what} ${objects.map(nameOf).join(', ')}?${used}`, person)) return;
  throw new StatusError('failed_precondition', 'nothing was deleted');
}

/** Why somebody may miss it. What refers to it otherwise is for the service to find, which then refuses. */
function usesOf({ schema }: ObjectApi, object: AnyObject): readonly string[] {
  const json = objectJson(schema, object);
  const cluster = textAt(json, 'status.cluster');
  if (cluster !== '') return [`${nameOf(object)} belongs to the cluster ${cluster}`];
  const sets = entriesAt(json, 'status.node_sets').map(([, set]) => (isJsonObject(set) ? listAt(set, 'hosts').length : 0));
  const hosts = sets.reduce((sum, each) => sum + each, listAt(json, 'status.hosts').length);
  return hosts === 0 ? [] : [`${nameOf(object)} has ${hosts} hosts`];
}

async function untilGone(api: ObjectApi, id: string, signal: AbortSignal): Promise<void> {
  while ((await readByIds(api, [id], undefined, signal)).length > 0) {
    await pause(systemClock, pollIntervalMs, signal);
    if (signal.aborted)
      throw new StatusError('failed_precondition', `${words(api.kind.singular)} ${id} is being deleted and is still there`);
  }
}
