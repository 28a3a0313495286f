import type { Transaction } from '../database.ts';
import { kindKeys, lockKeys } from '../lock-key.ts';

const shared = { name: 'shared-locks', text: 'select pg_advisory_xact_lock_shared(key) from unnest($1::bigint[]) as key' };
// Objects first: whoever waits for one holds off nobody who wants all of its kind.
const exclusive = {
  name: 'exclusive-locks',
  text: `select pg_advisory_xact_lock(key) from unnest($1::bigint[]) as key
    union all select pg_advisory_xact_lock_shared(key) from unnest($2::bigint[]) as key`,
};

/**
 * Holds objects that this transaction refers to: nobody writes or deletes them before it ends, while others may refer to them, too. To be called before
 * a statement that writes.
 */
export async function holdReferenced(tx: Transaction, locks: readonly string[]): Promise<void> {
  if (locks.length > 0) await tx.query(shared, [[...lockKeys(locks), ...kindKeys(locks)].map(String)]);
}

/**
 * Holds objects that turned out to be written, too, after the transaction began; all of a kind by its name alone: one lock, however many there are. To be called before a
 * statement that writes.
 */
export async function holdWritten(tx: Transaction, locks: readonly string[]): Promise<void> {
  if (locks.length > 0) await tx.query(exclusive, [lockKeys(locks).map(String), kindKeys(locks).map(String)]);
}
