/** Which source brought which host, and when it last had it. Kept beside the hosts: it changes with every look, and they do not. */
import type { BatchPart, Queryable, Timestamp, Transaction, WriteBatch } from '@quartermaster/store';

const upsert = (rows: string) => `insert into host_sources (source, source_id, host_id, last_seen)
    select source, source_id, host_id, last_seen from ${rows} order by source_id
    on conflict (source, source_id) do update set host_id = excluded.host_id, last_seen = excluded.last_seen`;

const sourcePart: BatchPart = {
  name: 'host-sources',
  sql: (rows) => upsert(`json_to_recordset(${rows}) as r(source text, source_id text, host_id text, last_seen timestamptz)`),
};

/** With the write of the host itself. */
export function putSource(batch: WriteBatch, source: string, sourceId: string, hostId: string, nowMs: number): void {
  batch.add(sourcePart, { source, source_id: sourceId, host_id: hostId, last_seen: new Date(nowMs).toISOString() });
}

const forgetPart: BatchPart = {
  name: 'forget-sources',
  sql: (rows) => `delete from host_sources as s using json_to_recordset(${rows}) as r(host_id text) where s.host_id = r.host_id`,
};

/** What is known of the sources of these hosts goes with the batch, which must not have any of it anew. */
export function forgetSources(batch: WriteBatch, hostIds: readonly string[]): void {
  for (const id of hostIds) batch.add(forgetPart, { host_id: id });
}

const seenStatement = {
  name: 'apply-seen',
  text: upsert('(select $1 as source, unnest($2::text[]) as source_id, unnest($3::text[]) as host_id, $4::timestamptz as last_seen) as r'),
};

/** Hosts that the source still has, and of which nothing changed. */
export async function noteSeen(tx: Transaction, source: string, seen: ReadonlyMap<string, string>, nowMs: number): Promise<void> {
  await tx.query(seenStatement, [source, [...seen.keys()], [...seen.values()], new Date(nowMs).toISOString()]);
}

const ownedStatement = {
  name: 'apply-owned',
  text: `select s.source_id from host_sources as s join hosts on hosts.id = s.host_id where s.source = $1 and s.source_id = any($2::text[])`,
};

/** Those of the ids of a source under which it has brought a host that is still there. */
export async function ownedOf(db: Queryable, source: string, sourceIds: readonly string[]): Promise<ReadonlySet<string>> {
  if (sourceIds.length === 0) return new Set();
  const rows = await db.query<{ readonly source_id: string }>(ownedStatement, [source, sourceIds]);
  return new Set(rows.map(({ source_id }) => source_id));
}

const listStatement = {
  name: 'list-sources',
  text: `select s.source as name, count(*) as hosts, max(s.last_seen) as last_seen from host_sources as s join hosts on hosts.id = s.host_id
    where $1::text is null or s.source = $1 group by s.source order by s.source`,
};

export interface SourceSummary {
  readonly name: string;
  readonly hosts: bigint;
  readonly last_seen: Timestamp;
}

/** The sources that have brought hosts that are still there; one of them, where a name is given. */
export async function listSources(db: Queryable, name: string | undefined): Promise<readonly SourceSummary[]> {
  return await db.query<SourceSummary>(listStatement, [name ?? null]);
}
