import { create } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import type { Host } from '@quartermaster/api/private';
import type { Queryable, Timestamp } from '@quartermaster/store';

const statement = { name: 'hosts-last-seen', text: 'select host_id, last_seen from host_sources where host_id = any($1::text[])' };

/** When their sources last had the hosts: kept beside them, since it changes with every look. */
export async function completeHosts(db: Queryable, hosts: readonly Host[]): Promise<void> {
  const sourced = hosts.filter((host) => host.status?.source !== undefined);
  if (sourced.length === 0) return;
  const rows = await db.query<{ readonly host_id: string; readonly last_seen: Timestamp }>(statement, [sourced.map(({ id }) => id)]);
  const lastSeen = new Map(rows.map((row) => [row.host_id, row.last_seen])); // host -> when
  for (const { id, status } of sourced) {
    const seen = lastSeen.get(id);
    if (status?.source !== undefined && seen !== undefined) status.source.lastSeen = create(TimestampSchema, { ...seen });
  }
}
