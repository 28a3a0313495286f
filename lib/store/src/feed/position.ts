import { createHash } from 'node:crypto';
import { StatusError } from '@quartermaster/kernel';

/** A place in the feed: that of a row. Transactions are numbered when they first write, rows when they are inserted. */
export interface Position {
  readonly xid: bigint;
  readonly seq: bigint;
}

/** Before every row. */
export const beginning: Position = { xid: 0n, seq: 0n };

export function comparePositions(a: Position, b: Position): number {
  if (a.xid !== b.xid) return a.xid < b.xid ? -1 : 1;
  return a.seq === b.seq ? 0 : a.seq < b.seq ? -1 : 1;
}

/** Details of the error that tells a reader to begin anew: list everything, then read from now. */
export const tokenExpired = { reason: 'FEED_TOKEN_EXPIRED' } as const;

const wayOut = 'list the objects again and watch from now on';

/** What was missed cannot be told any more. */
export function expired(why: string): StatusError {
  return new StatusError('failed_precondition', `${why}; ${wayOut}`, { details: tokenExpired });
}

/** Eight bytes for the history that positions belong to, so that those of another database are recognised. */
export function historyId(parts: readonly string[]): Uint8Array {
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 8);
}

const tokenBytes = 24;

/** Opaque to everybody else: the history, the transaction and the row, as 32 characters. */
export function formatToken(history: Uint8Array, { xid, seq }: Position): string {
  const bytes = Buffer.alloc(tokenBytes);
  bytes.set(history, 0);
  bytes.writeBigUInt64BE(xid, 8);
  bytes.writeBigUInt64BE(seq, 16);
  return bytes.toString('base64url');
}

export function parseToken(history: Uint8Array, token: string): Position {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== tokenBytes || bytes.toString('base64url') !== token) {
    throw new StatusError(
      'invalid_argument',
      'field "token": not a token of this feed; pass one that a response of Watch had, or leave it empty to watch from now on',
    );
  }
  if (!bytes.subarray(0, 8).equals(history))
    throw expired('the token is of another database, or of this one before it was restored or failed over');
  return { xid: bytes.readBigUInt64BE(8), seq: bytes.readBigUInt64BE(16) };
}

/**
 * A number for a moment of the database, of type bigint: what was committed by transactions with a smaller one is seen by the statement that has it. It never goes back, but in a
 * database that was restored.
 */
export const momentSql = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/** The first moment at which everything up to the token of a change or bookmark is seen. */
export function momentAfter(token: string): bigint {
  return Buffer.from(token, 'base64url').readBigUInt64BE(8) + 1n;
}

/** Which transactions a snapshot of PostgreSQL saw as ended, from its text: `oldest running:next:running,running`. */
export function seenBy(snapshot: string): (xid: bigint) => boolean {
  const [, next = '0', list = ''] = snapshot.split(':');
  const end = BigInt(next);
  const running = new Set(list.split(',').filter(Boolean).map(BigInt));
  return (xid) => xid < end && !running.has(xid);
}
