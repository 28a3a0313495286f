import type { Database, Queryable } from '../database.ts';
import { below, pruned } from './feed-table.ts';

/** What is kept for readers that come back: as much as both allow. */
export interface Retention {
  readonly maxAgeMs: number;
  /** About: the size of all changes is judged by a sample of them. */
  readonly maxBytes: number;
}

/** One step deletes at most this many rows, so that no lock and no snapshot lives long. */
const pruneStep = 5_000;
const sampledPages = 200;
/** What a row takes beside its body, in the table and in the index. */
export const rowOverheadBytes = 200;

const pagesStatement = {
  name: 'feed-pages',
  text: "select pg_relation_size('changes') / current_setting('block_size')::bigint as pages",
};
const sampleStatement = {
  name: 'feed-sample',
  text: 'select avg(pg_column_size(body))::float8 as body from changes tablesample system ($1::float8)',
};
// The last row by its place, which is the newest or nearly so: nothing finds the greatest seq without reading all of them.
const oldStatement = {
  name: 'feed-old',
  text: `select xid::text, seq, at < clock_timestamp() - make_interval(secs => $1)
      or seq <= (select seq from changes order by changes.xid desc, seq desc limit 1) - $2::bigint as is_old
    from changes where ${below} order by changes.xid, seq limit ${pruneStep}`,
};
const deleteStatement = { name: 'feed-delete', text: 'delete from changes where (xid, seq) < ($1::xid8, $2::bigint)' };
const prunedStatement = {
  name: 'feed-mark',
  text: `update changes set type = '${pruned}', body = '', tenants_before = '{}', tenants_after = '{}' where xid = $1::xid8 and seq = $2`,
};

/** Removes the oldest rows that the retention does not keep. Returns how many. */
export async function pruneFeed(database: Database, { maxAgeMs, maxBytes }: Retention): Promise<number> {
  const maxRows = Math.floor(maxBytes / (rowOverheadBytes + (await averageBody(database))));
  let total = 0;
  for (let count = -1; count !== 0; total += count) count = await pruneOnce(database, maxAgeMs, maxRows);
  return total;
}

/** The table itself keeps its size when rows leave it, and to measure all rows would be to read them. */
async function averageBody(queryable: Queryable): Promise<number> {
  const [size] = await queryable.query<{ pages: bigint }>(pagesStatement);
  const percent = Math.min(100, (100 * sampledPages) / Math.max(1, Number(size?.pages ?? 0n)));
  const [sample] = await queryable.query<{ body: number | null }>(sampleStatement, [percent]);
  return sample?.body ?? 0;
}

async function pruneOnce(database: Database, maxAgeMs: number, maxRows: number): Promise<number> {
  return database.transaction(['feed/prune'], async (tx) => {
    const oldest = await tx.query<{ xid: string; seq: bigint; is_old: boolean }>(oldStatement, [maxAgeMs / 1_000, maxRows]);
    const firstKept = oldest.findIndex((row) => !row.is_old);
    const count = firstKept === -1 ? oldest.length : firstKept;
    const last = oldest[count - 1];
    // The first row may be the one that stayed last time.
    if (last === undefined || count === 1) return 0;
    await tx.query(deleteStatement, [last.xid, last.seq]);
    await tx.query(prunedStatement, [last.xid, last.seq]);
    return count - 1;
  });
}
