import { Bids } from '@quartermaster/api/market';
import { pricesAt, pricesText } from '../fulfillment/kinds/market-text.ts';
import { type ApiConnection, withApi } from '../fulfillment/objects/api-connection.ts';
import { answered } from '../fulfillment/objects/object-client.ts';
import { objectDocument, objectJson } from '../fulfillment/objects/object-json.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';

export interface AcceptFlags extends ServerFlags {
  readonly dryRun: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

/** Makes a bid the lease of its order. The same again answers the same lease. */
export async function accept([id = '']: readonly string[], flags: AcceptFlags, { out }: Output): Promise<void> {
  const work = async (connection: ApiConnection): Promise<void> => {
    const { kind, schema } = await connection.objects('leases');
    const lease = answered((await connection.client(Bids).accept({ id, dryRun: flags.dryRun })).lease);
    if (flags.output !== 'text') {
      out.write(formatDocument(objectDocument(kind, schema, lease), flags.output));
      return;
    }
    const isDry = flags.dryRun ? ' (dry run: nothing was written)' : '';
    out.write(`lease ${lease.id}: ${pricesText(pricesAt(objectJson(schema, lease), 'spec.price'))}${isDry}\n`);
  };
  await withApi(flags, work, 'market');
}
