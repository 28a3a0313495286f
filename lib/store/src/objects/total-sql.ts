/** Statements that read a page together with the number of all that match, or with what carries a known number forward. */
import type { ChangedSince } from './kept-total.ts';

export interface Matching {
  readonly kind: string;
  /** ` where …`, or nothing: all of them. */
  readonly where: string;
}

/** PostgreSQL counts only when the page has more rows than `least`. */
export function withTotal(page: string, { kind, where }: Matching, least: number): string {
  const counting = `select count(*) from ${kind}${where}`;
  return `with page as materialized (${page}) select page.*, case when (select count(*) from page) > ${least} then (${counting}) end as total from page`;
}

/** What has changed more often than this since is counted anew. */
const maxChanged = 1_000;

export interface TotalColumns {
  /** Of all pages together; null where the page tells it. */
  readonly total?: bigint | null | undefined;
  // What the first row says; null in the others.
  readonly snapshot?: string | null | undefined;
  readonly changed?: readonly string[] | null | undefined;
  readonly matching?: readonly string[] | null | undefined;
  /** The feed no longer has everything since then. */
  readonly is_pruned?: boolean | null | undefined;
}

/**
 * The page, and in its first row who changed after the snapshot and who of them matches now. One statement sees one state of the database. A snapshot
 * has not seen what began after it and what was under way; what pruning removed is remembered by the first row of the feed.
 */
export function withChanges(page: string, { kind, where }: Matching, snapshot: string): string {
  const and = where === '' ? ' where' : `${where} and`;
  return `with page as materialized (select row_number() over () as place, listed.* from (${page}) as listed),
    since as (select kind, object_id from changes where xid >= pg_snapshot_xmax(${snapshot})
      union all select kind, object_id from changes where xid = any(array(select pg_snapshot_xip(${snapshot})))),
    changed as materialized (select distinct object_id from since where kind = '${kind}' limit ${maxChanged + 1}),
    news as (select pg_current_snapshot()::text as snapshot, array(select object_id from changed) as changed,
      array(select id from ${kind}${and} id in (select object_id from changed)) as matching,
      coalesce((select type = 'pruned' and xid >= pg_snapshot_xmin(${snapshot}) from changes order by xid, seq limit 1), false) as is_pruned)
    select page.*, news.* from page left join news on place = 1`;
}

/** Undefined when it cannot be told. */
export function changedSince(rows: readonly TotalColumns[]): ChangedSince | undefined {
  const { snapshot, changed, matching, is_pruned: isPruned } = rows[0] ?? {};
  if (typeof snapshot !== 'string' || isPruned !== false || !changed || !matching || changed.length > maxChanged) return undefined;
  return { snapshot, changed, matching };
}

/** Everybody who matches, and as of when. */
export function allMatching({ kind, where }: Matching): string {
  return `select pg_current_snapshot()::text as snapshot, array(select id from ${kind}${where}) as ids`;
}
