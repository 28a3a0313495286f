import { StatusError } from '@quartermaster/kernel';
import type { Ask } from '../../server/resource.ts';
import type { ServerFlags } from '../../server/server-flags.ts';
import type { Link } from '../../text/link.ts';
import type { Output } from '../../text/output.ts';
import { type ListFlags, type ListSource, showList } from '../../text/show-list.ts';
import type { KindPlural } from '../kinds/kind.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { type ApiConnection, connectApi, type ObjectApi, withApi } from '../objects/api-connection.ts';
import { NamesOfIds } from '../objects/names-of-ids.ts';
import { type AnyObject, answered } from '../objects/object-client.ts';
import { aboutOwnFilter, objectFilter } from '../objects/object-filter.ts';
import { objectJson } from '../objects/object-json.ts';
import { missingNames, missingObjects, readObjects, words } from '../objects/read-objects.ts';
import { ObjectFollower } from './object-follower.ts';
import { type ObjectsState, objectsView } from './object-list.ts';
import { recordedNote } from './openings.ts';
import { orProviderView, providerNote } from './provider-view.ts';

export interface GetObjectsFlags extends ServerFlags, ListFlags {
  readonly filter?: string | undefined;
  readonly order?: string | undefined;
  readonly selector: readonly string[];
  readonly limit?: number | undefined;
  readonly all: boolean;
  readonly includeDeleted: boolean;
  /** Kinds without secrets do not have it. */
  readonly reveal?: boolean | undefined;
}

const defaultLimit = 100;
const notYet: Link = { isLive: false, lastContactAt: undefined, reason: 'not connected yet' };

/** Objects of a kind by name or id, or all that match. Names that do not exist are an error after the others were printed. */
export const getObjects =
  (plural: KindPlural): Ask<GetObjectsFlags> =>
  async (names, flags, output, signal) => {
    const kind = kindNamed(plural);
    if (flags.reveal === true) checkReveal(names, flags);
    const { filter: own, order = kind.order ?? 'metadata.name', selector: labels } = flags;
    const filter = objectFilter({ names, labels, filter: own, includeDeleted: flags.includeDeleted || names.length > 0 });
    const limit = flags.limit ?? (flags.all || names.length > 0 ? undefined : defaultLimit);
    const source: ListSource<ObjectsState> = {
      view: objectsView({ isOne: names.length === 1, isFiltered: names.length > 0 || own !== undefined || labels.length > 0 }),
      read: (ended) => {
        const read = async (connection: ApiConnection): Promise<ObjectsState> => {
          const api = await connection.objects(plural);
          const { items, total } = await readObjects(api, { filter, order, limit }, ended).catch((thrown: unknown) => {
            throw orProviderView(aboutOwnFilter(thrown, filter), kind);
          });
          const ids = new NamesOfIds(connection);
          const isTable = flags.output === 'table' || flags.output === 'wide';
          await ids.learn(plural, isTable ? items.map((object) => objectJson(api.schema, object)) : []);
          const note = isTable ? await providerNote(connection, kind) : undefined;
          const opened = flags.reveal === true ? await reveal(api, items, output) : items;
          return { api, items: opened, total, names: ids, note };
        };
        return withApi(flags, read, kind.server);
      },
      watch: () => {
        let follower: ObjectFollower | undefined;
        return {
          frame: () => ({ state: follower?.state, link: follower?.link ?? notYet }),
          follow: async (changed, ended) => {
            follower = new ObjectFollower({ kind: plural, filter, order, connect: () => connectApi(flags, kind.server), changed });
            await follower.run(ended);
          },
        };
      },
      missing: ({ items }) => {
        const missing = missingNames(names, items);
        return missing.length === 0 ? undefined : missingObjects(kind, missing);
      },
    };
    await showList(source, flags, output, signal);
  };

function checkReveal(names: readonly string[], { output, watch }: GetObjectsFlags): void {
  if (names.length === 0) throw new StatusError('invalid_argument', '--reveal opens the secrets of named objects: name them');
  if (watch === true) throw new StatusError('invalid_argument', '--reveal cannot be combined with --watch: events never hold secrets');
  if (output !== 'json' && output !== 'yaml')
    throw new StatusError('invalid_argument', '--reveal needs -o json or -o yaml: tables have no column for secrets');
}

/** The objects with their secrets. */
async function reveal({ kind, isPrivate, client }: ObjectApi, items: readonly AnyObject[], { err }: Output): Promise<readonly AnyObject[]> {
  if (!isPrivate && kind.server !== 'market') {
    const way = kind.plural === 'clusters' ? 'use "get kubeconfig NAME" or "get password NAME"' : 'log in as an administrator';
    throw new StatusError(
      'invalid_argument',
      `--reveal needs the private API, since the public one has no secrets of ${words(kind.plural)}: ${way}`,
    );
  }
  const opened: AnyObject[] = [];
  for (const { id } of items) opened.push(answered((await client.get({ id, reveal: true })).object));
  if (opened.length > 0) err.write(recordedNote);
  return opened;
}
