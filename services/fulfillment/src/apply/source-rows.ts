/** Which source brought which host, and when it last had it. Kept beside the hosts: it changes with every look, and they do not. */
import type { BatchPart, BatchRow, Queryable, Timestamp, Transaction } from '@quartermaster/store';

const upsert = (rows: string) => `insert into host_sources (source, source_id, host_id, last_seen)
    select source, source_id, host_id, last_seen from ${rows} order by source_id
    on conflict (source, source_id) do update set host_id = excluded.host_id, last_seen = excluded.last_seen`;

/** With the write of the host itself. */
export const sourcePart: BatchPart = {
  name: 'host-sources',
  sql: (rows) => upsert(`json_to_recordset(${rows}) as r(source text, source_id text, host_id text, last_seen timestamptz)`),
};

export function sourceRow(source: string, sourceId: string, hostId: string, nowMs: number): BatchRow {
  return { source, source_id: sourceId, host_id: hostId, last_seen: new Date(nowMs).toISOString() };
}

const forgetStatement = {
  name: 'apply-forget-sources',
  text: 'delete from host_sources where host_id = any($1::text[])',
};

/** Rows of hosts that are gone, of which new ones get the ids. */
export async function forgetSources(tx: Transaction, hostIds: readonly string[]): Promise<void> {
  if (hostIds.length > 0) await tx.query(forgetStatement, [hostIds]);
}

const seenStatement = {
  name: 'apply-seen',
  text: upsert('(select $1 as source, unnest($2::text[]) as source_id, unnest($3::text[]) as host_id, $4::timestamptz as last_seen) as r'),
};

/** Hosts that the source still has, and of which nothing changed. */
export async function markSeen(tx: Transaction, source: string, seen: ReadonlyMap<string, string>, nowMs: number): Promise<void> {
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
