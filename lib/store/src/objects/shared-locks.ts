import type { Transaction } from '../database.ts';
import { lockKeys } from '../lock-key.ts';

const statement = {
  name: 'shared-locks',
  text: 'select pg_advisory_xact_lock_shared(key) from unnest($1::bigint[]) as key',
};

/**
 * Holds objects that this transaction refers to: nobody writes or deletes them before it ends, while others may refer to them, too. To be called as the first
 * thing in a transaction, before a statement that writes.
 */
export async function holdReferenced(tx: Transaction, locks: readonly string[]): Promise<void> {
  if (locks.length === 0) return;
  await tx.query(statement, [lockKeys(locks).map(String)]);
}
