import type { Ask } from '../../server/resource.ts';
import type { ServerFlags } from '../../server/server-flags.ts';
import type { Link } from '../../text/link.ts';
import { type ListFlags, type ListSource, showList } from '../../text/show-list.ts';
import type { KindPlural } from '../kinds/kind.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { connectApi, withApi } from '../objects/api-connection.ts';
import { NamesOfIds } from '../objects/names-of-ids.ts';
import { aboutOwnFilter, objectFilter } from '../objects/object-filter.ts';
import { objectJson } from '../objects/object-json.ts';
import { missingNames, missingObjects, readObjects } from '../objects/read-objects.ts';
import { ObjectFollower } from './object-follower.ts';
import { type ObjectsState, objectsView } from './object-list.ts';

export interface GetObjectsFlags extends ServerFlags, ListFlags {
  readonly filter?: string | undefined;
  readonly order?: string | undefined;
  readonly selector: readonly string[];
  readonly limit?: number | undefined;
  readonly all: boolean;
  readonly includeDeleted: boolean;
}

const defaultLimit = 100;
const notYet: Link = { isLive: false, lastContactAt: undefined, reason: 'not connected yet' };

/** Objects of a kind by name or id, or all that match. Names that do not exist are an error after the others were printed. */
export const getObjects =
  (plural: KindPlural): Ask<GetObjectsFlags> =>
  async (names, flags, output, signal) => {
    const kind = kindNamed(plural);
    const { filter: own, order = 'metadata.name', selector: labels } = flags;
    const filter = objectFilter({ names, labels, filter: own, includeDeleted: flags.includeDeleted || names.length > 0 });
    const limit = flags.limit ?? (flags.all || names.length > 0 ? undefined : defaultLimit);
    const source: ListSource<ObjectsState> = {
      view: objectsView({ isOne: names.length === 1, isFiltered: names.length > 0 || own !== undefined || labels.length > 0 }),
      read: (ended) =>
        withApi(flags, async (connection) => {
          const api = await connection.objects(plural);
          const { items, total } = await readObjects(api, { filter, order, limit }, ended).catch((thrown: unknown) => {
            throw aboutOwnFilter(thrown, filter);
          });
          const ids = new NamesOfIds(connection);
          const shown = flags.output === 'table' || flags.output === 'wide' ? items : [];
          await ids.learn(
            plural,
            shown.map((object) => objectJson(api.schema, object)),
          );
          return { api, items, total, names: ids };
        }),
      watch: () => {
        let follower: ObjectFollower | undefined;
        return {
          frame: () => ({ state: follower?.state, link: follower?.link ?? notYet }),
          follow: async (changed, ended) => {
            follower = new ObjectFollower({ kind: plural, filter, order, connect: () => connectApi(flags), changed });
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
