/** Statements that read a page together with the number of all that match, or with what carries a known number forward. */
import type { ChangedSince } from './kept-total.ts';

export interface Matching {
  readonly kind: string;
  /** ` where …`, or nothing: all of them. */
  readonly where: string;
}

/** The number alone. */
export function totalAlone({ kind, where }: Matching): string {
  return `select count(*) as total from ${kind}${where}`;
}

/** PostgreSQL counts only when the page has more rows than `least`. */
export function withTotal(page: string, matching: Matching, least: number): string {
  return `with page as materialized (${page}) select page.*, case when (select count(*) from page) > ${least} then (${totalAlone(matching)}) end as total from page`;
}

/** After more changes than this, of whatever kind, it is counted anew. */
const maxChanged = 1_000;

export interface TotalColumns {
  /** Of all pages together; null where the page tells it. */
  readonly total?: bigint | null | undefined;
  // What the first row says; null in the others.
  readonly snapshot?: string | null | undefined;
  readonly changed?: readonly string[] | null | undefined;
  readonly matching?: readonly string[] | null | undefined;
  /** More has happened since then than is looked at, or than the feed still has. */
  readonly is_beyond?: boolean | null | undefined;
}

/** The page, and in its first row the news since the snapshot. One statement sees one state of the database. */
export function withChanges(page: string, matching: Matching, snapshot: string): string {
  return `with page as materialized (select row_number() over () as place, listed.* from (${page}) as listed),
    ${news(matching, snapshot)} select page.*, news.* from page left join news on place = 1`;
}

export function changesAlone(matching: Matching, snapshot: string): string {
  return `with ${news(matching, snapshot)} select * from news`;
}

/**
 * Who changed after the snapshot, and who of them matches now. A snapshot has not seen what began after it and what was under way; what pruning removed is
 * remembered by the first row of the feed. The order has the planner, who does not know how little is new, go through the index.
 */
function news({ kind, where }: Matching, snapshot: string): string {
  const and = where === '' ? ' where' : `${where} and`;
  const since = (condition: string): string =>
    `(select kind, object_id from changes where ${condition} order by xid, seq limit ${maxChanged + 1})`;
  return `since as materialized (${since(`xid >= pg_snapshot_xmax(${snapshot})`)}
      union all select late.* from pg_snapshot_xip(${snapshot}) as under_way(id) cross join lateral ${since('xid = under_way.id')} as late),
    changed as materialized (select distinct object_id from since where kind = '${kind}'),
    news as (select pg_current_snapshot()::text as snapshot, array(select object_id from changed) as changed,
      array(select id from ${kind}${and} id in (select object_id from changed)) as matching,
      (select count(*) > ${maxChanged} from since) or
      coalesce((select type = 'pruned' and xid >= pg_snapshot_xmin(${snapshot}) from changes order by xid, seq limit 1), false) as is_beyond)`;
}

/** Undefined when it cannot be told. */
export function changedSince({ snapshot, changed, matching, is_beyond: isBeyond }: TotalColumns): ChangedSince | undefined {
  if (typeof snapshot !== 'string' || isBeyond !== false || !changed || !matching) return undefined;
  return { snapshot, changed, matching };
}

/** Everybody who matches, and as of when. As JSON, which is parsed thirty times faster than an array of PostgreSQL. */
export function allMatching({ kind, where }: Matching): string {
  return `select pg_current_snapshot()::text as snapshot, to_json(array(select id from ${kind}${where})) as ids`;
}
