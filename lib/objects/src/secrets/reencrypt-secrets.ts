/**
 * Wraps the keys of secrets anew with the current key of the ring, in small batches. A row is written only while it is as it was read, and one that somebody is
 * writing is passed over, so that nobody waits and nothing new is lost. Where it stands is in the rows themselves: it may be interrupted and started again.
 */
import { hexOf, type Queryable, type Sealed, type SecretKeyRing } from '@quartermaster/store';

type Rewrapper = Pick<SecretKeyRing, 'currentKeyId' | 'rewrap'>;

export interface ReencryptProgress {
  readonly done: number;
  readonly total: number;
  readonly failed: number;
}

const batchSize = 200;
/** Rows that were busy are met again in the next pass. */
const maxPasses = 5;

interface SecretRow {
  readonly kind: string;
  readonly object_id: string;
  readonly path: string;
  readonly key_id: string;
  readonly sealed: Uint8Array;
}

type Place = readonly [kind: string, objectId: string, path: string];

/** Tells how far it is after every batch and at the end. */
export async function* reencryptSecrets(
  db: Queryable,
  keys: Rewrapper,
  signal: AbortSignal,
): AsyncGenerator<ReencryptProgress, void, undefined> {
  const total = await remaining(db, keys.currentKeyId);
  let done = 0;
  let failed = 0;
  for (let pass = 0, isFinished = false; pass < maxPasses && !isFinished; pass += 1) {
    failed = 0;
    let busy = 0;
    for (let after: Place | undefined = ['', '', '']; after !== undefined; ) {
      signal.throwIfAborted();
      const rows: readonly SecretRow[] = await db.query<SecretRow>(readStatement, [keys.currentKeyId, ...after, batchSize]);
      const results = rows.map((row) => rewrapped(keys, row));
      const wrapped = results.filter((result) => typeof result === 'object');
      const written = wrapped.length === 0 ? 0 : await write(db, wrapped);
      failed += results.filter((result) => result === 'failed').length;
      busy += wrapped.length - written;
      done += written;
      const last: SecretRow | undefined = rows.length === batchSize ? rows.at(-1) : undefined;
      after = last === undefined ? undefined : [last.kind, last.object_id, last.path];
      if (after !== undefined) yield { done, total, failed };
    }
    isFinished = busy === 0;
  }
  yield { done, total, failed };
}

const readStatement = {
  name: 'secrets-to-reencrypt',
  text: `select kind, object_id, path, key_id, sealed from secrets
    where key_id <> $1 and (kind, object_id, path) > ($2, $3, $4) order by kind, object_id, path limit $5`,
};

const writeStatement = {
  name: 'reencrypt-secrets',
  text: `with wrapped as (
      select s.kind, s.object_id, s.path, r.key_id, r.sealed
      from secrets s join json_to_recordset($1::json) as r(kind text, object_id text, path text, was bytea, key_id text, sealed bytea)
        on s.kind = r.kind and s.object_id = r.object_id and s.path = r.path and s.sealed = r.was
      for update of s skip locked),
    written as (
      update secrets s set key_id = w.key_id, sealed = w.sealed from wrapped w
      where s.kind = w.kind and s.object_id = w.object_id and s.path = w.path returning 1)
    select count(*) as written from written`,
};

interface Rewrapped {
  readonly row: SecretRow;
  readonly next: Sealed;
}

function rewrapped(keys: Rewrapper, row: SecretRow): Rewrapped | 'current' | 'failed' {
  try {
    const next = keys.rewrap({ keyId: row.key_id, bytes: row.sealed });
    // Where the ring was replaced since the row was read, the row may be under what is now the current key.
    return next === undefined ? 'current' : { row, next };
  } catch {
    return 'failed';
  }
}

async function write(db: Queryable, wrapped: readonly Rewrapped[]): Promise<number> {
  const rows = wrapped.map(({ row, next }) => ({
    kind: row.kind,
    object_id: row.object_id,
    path: row.path,
    was: hexOf(row.sealed),
    key_id: next.keyId,
    sealed: hexOf(next.bytes),
  }));
  const [answer] = await db.query<{ readonly written: bigint }>(writeStatement, [JSON.stringify(rows)]);
  return Number(answer?.written ?? 0);
}

async function remaining(db: Queryable, currentKeyId: string): Promise<number> {
  const [row] = await db.query<{ readonly count: bigint }>(
    { name: 'secrets-of-other-keys', text: 'select count(*) as count from secrets where key_id <> $1' },
    [currentKeyId],
  );
  return Number(row?.count ?? 0);
}
