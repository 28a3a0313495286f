import type { Ask } from '../../server/resource.ts';
import { paintFor } from '../../text/paint.ts';
import type { CreateFlags, Kind } from '../kinds/kind.ts';
import { pairOf } from '../kinds/template-parameters.ts';
import { type ApiConnection, withApi } from '../objects/api-connection.ts';
import { objectJson } from '../objects/object-json.ts';
import { findObject } from '../objects/read-objects.ts';
import { createObject } from './apply.ts';
import { writtenText } from './written-text.ts';

/** Makes an object of flags alone. */
export const createFromFlags =
  (kind: Kind): Ask<CreateFlags> =>
  async ([name = ''], flags, output) => {
    const work = async (connection: ApiConnection): Promise<void> => {
      const find: Parameters<NonNullable<Kind['creation']>['fields']>[1] = async (plural, wanted) => {
        const { schema, ...api } = await connection.objects(plural);
        return objectJson(schema, await findObject({ schema, ...api }, wanted));
      };
      const api = await connection.objects(kind.plural);
      const labels = Object.fromEntries(flags.label.map((text) => pairOf(text, '--label')));
      const metadata = { name, labels, tenants: [...flags.tenant] };
      // The flags are those of the options that the kind declares.
      const fields = await kind.creation?.fields(flags as never, find);
      const { object, outcome } = await createObject(api, { id: flags.id ?? '', metadata, ...fields }, flags);
      output.out.write(writtenText(api, object, outcome, { format: flags.output, isDryRun: flags.dryRun, paint: paintFor(output.out) }));
    };
    await withApi(flags, work, kind.server);
  };
