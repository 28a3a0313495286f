import type { Queryable } from '../database.ts';
import type { Position } from './position.ts';

/** How far readers are behind what was committed, and who holds them back. */
export interface FeedLag {
  /** The age of the oldest change that readers of this process cannot have been told yet; 0 when there is none. */
  readonly behindMs: number;
  /** The oldest transaction that still runs, while changes wait for it to end. */
  readonly holder: FeedHolder | undefined;
  /** What the changes take on the disk of the database, with their index and with room that is free again. */
  readonly bytes: number;
}

/** A transaction of any database of the server. What the server does not tell us about it is undefined. */
export interface FeedHolder {
  /** The process of the server that runs it; undefined for one that was prepared, which no process runs, and for one that cannot be seen. */
  readonly pid: number | undefined;
  /** The name that PREPARE TRANSACTION gave it. */
  readonly preparedAs: string | undefined;
  readonly user: string | undefined;
  readonly application: string | undefined;
  readonly database: string | undefined;
  /** `idle in transaction`, `active`. */
  readonly state: string | undefined;
  readonly openMs: number | undefined;
}

const oldest = 'pg_snapshot_xmin(pg_current_snapshot())';

/** Without a place, nobody reads: what could not be read then is what waits for the oldest transaction. */
const lagStatement = {
  name: 'feed-lag',
  text: `select (extract(epoch from clock_timestamp() - first.at) * 1000)::float8 as behind_ms, pg_total_relation_size('changes') as bytes,
      exists (select from changes where xid >= ${oldest}) as has_waiting, holder.*
    from (values (true)) as always
    left join lateral (
      select at from changes where (xid, seq) > (coalesce($1::xid8, ${oldest}), coalesce($2::bigint, -1)) order by changes.xid, seq limit 1
    ) as first on true
    left join lateral (
      select pid, null as gid, usename::text as "user", application_name as application, datname::text as database, state,
        (extract(epoch from clock_timestamp() - xact_start) * 1000)::float8 as open_ms from pg_stat_activity where backend_xid = ${oldest}::xid
      union all select null, gid, owner::text, null, database::text, null, (extract(epoch from clock_timestamp() - prepared) * 1000)::float8
        from pg_prepared_xacts where transaction = ${oldest}::xid
      limit 1
    ) as holder on true`,
};

interface LagRow {
  readonly behind_ms: number | null;
  readonly bytes: bigint;
  readonly has_waiting: boolean;
  readonly pid: number | null;
  readonly gid: string | null;
  readonly user: string | null;
  readonly application: string | null;
  readonly database: string | null;
  readonly state: string | null;
  readonly open_ms: number | null;
}

/** `readUpTo`: where the reader of this process stands; undefined while nobody reads. */
export async function readLag(queryable: Queryable, readUpTo: Position | undefined): Promise<FeedLag> {
  const [row] = await queryable.query<LagRow>(lagStatement, [readUpTo?.xid ?? null, readUpTo?.seq ?? null]);
  if (row === undefined) return { behindMs: 0, holder: undefined, bytes: 0 };
  const holder: FeedHolder = {
    pid: row.pid ?? undefined,
    preparedAs: row.gid ?? undefined,
    user: row.user ?? undefined,
    application: row.application ?? undefined,
    database: row.database ?? undefined,
    state: row.state ?? undefined,
    openMs: row.open_ms ?? undefined,
  };
  return { behindMs: Math.max(0, row.behind_ms ?? 0), holder: row.has_waiting ? holder : undefined, bytes: Number(row.bytes) };
}
