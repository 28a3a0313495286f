import type { Queryable } from '../database.ts';
import { type Timestamp, timestampToDate } from '../timestamp.ts';
import type { Change, ChangeType } from './change.ts';
import { beginning, expired, formatToken, historyId, type Position, seenBy } from './position.ts';

/**
 * The table `changes`, which is filled by the transactions that change objects. Its rows are read in the order of (xid, seq) and only below the oldest transaction that
 * still runs anywhere: above it, a row could yet appear before one that was read. Every transaction locks the objects that it writes before it
 * gets its xid, so for one object the order of the xids is that in which its changes were committed.
 *
 * What pruning removed is remembered by its last row, which stays, emptied, with the type `pruned`. Whoever meets it stands before it, and has missed something.
 */
export interface FeedRow {
  readonly position: Position;
  readonly change: Change;
}

export interface FeedPage {
  readonly rows: readonly FeedRow[];
  /** Rows wait for an older transaction to end. Nobody may tell when it does. */
  readonly hasWaiting: boolean;
}

interface StoredChange {
  readonly xid: string;
  readonly seq: bigint;
  readonly at: Timestamp;
  readonly kind: string;
  readonly type: ChangeType | typeof pruned;
  readonly object_id: string;
  readonly version: bigint;
  readonly tenants_before: readonly string[];
  readonly tenants_after: readonly string[];
  readonly body: Uint8Array;
}

interface Gate {
  readonly next_xid: string;
  readonly has_waiting: boolean;
}

/** The type of the row that stays of those that were pruned. */
export const pruned = 'pruned';
/** Where nothing can appear any more before a row that was read. */
export const below = 'xid < pg_snapshot_xmin(pg_current_snapshot())';

const historyStatement = {
  name: 'feed-history',
  text: `select system_identifier::text as system, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline,
    (select oid::text from pg_database where datname = current_database()) as database from pg_control_system()`,
};

/** Every column is null in the one row of a page without changes. */
const pageStatement = {
  name: 'feed-page',
  text: `select c.*, pg_snapshot_xmax(pg_current_snapshot())::text as next_xid,
      exists (select from changes where xid >= pg_snapshot_xmin(pg_current_snapshot())) as has_waiting
    from (values (true)) as always left join lateral (
      select xid::text, seq, at, kind, type, object_id, version, tenants_before, tenants_after, body
      from changes where (xid, seq) > ($1::xid8, $2::bigint) and ${below} order by changes.xid, seq limit $3
    ) as c on true`,
};

const lastStatement = {
  name: 'feed-last',
  text: `select pg_current_snapshot()::text as snapshot, c.* from (values (true)) as always left join lateral (
      select xid::text, seq from changes where ${below} order by changes.xid desc, seq desc limit 1
    ) as c on true`,
};

/** Rows with numbers that this server has not given out came with a dump of another one. */
const foreignStatement = { name: 'feed-foreign', text: 'delete from changes where xid >= pg_snapshot_xmax(pg_current_snapshot())' };

/** Which history of changes the database has now: another one after a restore or a failover, which may both have lost the newest changes. */
export async function readHistory(queryable: Queryable): Promise<Uint8Array> {
  const [row] = await queryable.query<{ system: string; timeline: string; database: string }>(historyStatement);
  return historyId([row?.system ?? '', row?.timeline ?? '', row?.database ?? '']);
}

export async function removeForeignRows(queryable: Queryable): Promise<void> {
  await queryable.query(foreignStatement);
}

export interface Now {
  /** Everything up to here was committed before; some of what follows may have been, too, and waits for an older transaction. */
  readonly last: Position;
  /** Whether the transaction had been committed. */
  readonly isBefore: (xid: bigint) => boolean;
}

export async function readNow(queryable: Queryable): Promise<Now> {
  const [row] = await queryable.query<{ snapshot: string; xid: string | null; seq: bigint }>(lastStatement);
  const last = row === undefined || row.xid === null ? beginning : { xid: BigInt(row.xid), seq: row.seq };
  return { last, isBefore: seenBy(row?.snapshot ?? '0:0:') };
}

/** Up to `limit` rows after the position. Throws `failed_precondition` when some were pruned, or when the position lies in the future. */
export async function readPage(queryable: Queryable, history: Uint8Array, after: Position, limit: number): Promise<FeedPage> {
  const found = await queryable.query<(StoredChange | { readonly xid: null }) & Gate>(pageStatement, [after.xid, after.seq, limit]);
  if (after.xid >= BigInt(found[0]?.next_xid ?? 0)) throw expired('the token is newer than the database, which was restored from a backup');
  const rows: FeedRow[] = [];
  for (const stored of found) {
    if (stored.xid === null) continue;
    if (stored.type === pruned) throw expired('the token is older than what the feed keeps');
    rows.push(toRow(stored, stored.type, history));
  }
  return { rows, hasWaiting: found[0]?.has_waiting ?? false };
}

function toRow(stored: StoredChange, type: ChangeType, history: Uint8Array): FeedRow {
  const position = { xid: BigInt(stored.xid), seq: stored.seq };
  const change: Change = {
    token: formatToken(history, position),
    at: timestampToDate(stored.at),
    kind: stored.kind,
    type,
    objectId: stored.object_id,
    version: stored.version,
    tenantsBefore: stored.tenants_before,
    tenantsAfter: stored.tenants_after,
    body: stored.body,
  };
  return { position, change };
}
