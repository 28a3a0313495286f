import { toJson } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { HostSources, type HostSourcesListResponse, HostSourcesListResponseSchema } from '@quartermaster/api/fulfillment-extras';
import type { ServerFlags } from '../../server/server-flags.ts';
import type { ListView } from '../../text/listing.ts';
import type { Output } from '../../text/output.ts';
import { type ListFlags, showList } from '../../text/show-list.ts';
import { ago } from '../../text/time-text.ts';
import { withApi } from '../objects/api-connection.ts';

const sourcesView: ListView<HostSourcesListResponse> = {
  list: ({ sources }, { now }) => ({
    header: ['NAME', 'HOSTS', 'LAST SEEN'],
    rows: sources.map(({ name, hosts, lastSeen }) => ({
      key: name,
      cells: [name, String(hosts), lastSeen === undefined ? 'never' : `${ago(now - timestampMs(lastSeen))} ago`],
    })),
    whenEmpty: 'No source has reported hosts.',
    notes: [],
  }),
  document: (answer) => toJson(HostSourcesListResponseSchema, answer, { useProtoFieldName: true }),
};

/** Where hosts come from, and when each source was last heard of. */
export async function getSources(
  _args: readonly string[],
  flags: ServerFlags & ListFlags,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const read = (): Promise<HostSourcesListResponse> => withApi(flags, (connection) => connection.client(HostSources).list({}));
  await showList({ view: sourcesView, read }, flags, output, signal);
}
