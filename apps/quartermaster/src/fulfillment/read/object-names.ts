import type { ListNames } from '../../server/resource.ts';
import type { ServerFlags } from '../../server/server-flags.ts';
import { entriesAt } from '../../text/json-path.ts';
import type { KindPlural } from '../kinds/kind.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { withApi } from '../objects/api-connection.ts';
import { celText } from '../objects/object-filter.ts';
import { objectJson } from '../objects/object-json.ts';
import { findObject, nameOf, readObjects } from '../objects/read-objects.ts';

/** As many as somebody looks through. */
const maxNames = 200;

export const objectNames =
  (plural: KindPlural): ListNames =>
  async (prefix, flags) =>
    await withApi(
      flags,
      async (connection) => {
        const begins = `this.metadata.name.startsWith(${celText(prefix)}) || this.id.startsWith(${celText(prefix)})`;
        const filter = prefix === '' ? undefined : begins;
        const { items } = await readObjects(await connection.objects(plural), {
          filter,
          order: kindNamed(plural).order ?? 'metadata.name',
          limit: maxNames,
        });
        return items.map(nameOf);
      },
      kindNamed(plural).server,
    );

/** The node sets of a cluster. */
export async function nodeSetNames(cluster: string, flags: ServerFlags): Promise<readonly string[]> {
  return await withApi(flags, async (connection) => {
    const api = await connection.objects('clusters');
    return entriesAt(objectJson(api.schema, await findObject(api, cluster)), 'spec.node_sets').map(([name]) => name);
  });
}
