import { toJson } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { HostSources, HostSourcesListResponseSchema } from '@quartermaster/api/fulfillment-extras';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { table } from '../text/table.ts';
import { ago } from '../text/time-text.ts';
import { withApi } from './api-connection.ts';
import type { ApiFlags } from './api-flags.ts';

export interface GetSourcesFlags extends ApiFlags {
  readonly output: 'table' | 'json' | 'yaml';
}

/** Where hosts come from, and when each source was last heard of. */
export async function getSources(flags: GetSourcesFlags, { out }: Output): Promise<void> {
  const answer = await withApi(flags, (connection) => connection.client(HostSources).list({}));
  if (flags.output !== 'table') {
    out.write(formatDocument(toJson(HostSourcesListResponseSchema, answer, { useProtoFieldName: true }), flags.output));
    return;
  }
  const now = Date.now();
  const rows = answer.sources.map(({ name, hosts, lastSeen }) => [
    name,
    String(hosts),
    lastSeen === undefined ? 'never' : `${ago(now - timestampMs(lastSeen))} ago`,
  ]);
  out.write(rows.length === 0 ? 'No source has brought hosts in.\n' : table(['NAME', 'HOSTS', 'LAST SEEN'], rows));
}
