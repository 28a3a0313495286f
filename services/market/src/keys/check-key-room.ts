import type { OwnerKey } from '@quartermaster/api/market';
import { StatusError } from '@quartermaster/kernel';
import type { Queryable } from '@quartermaster/store';

const maxKeys = 50;

/** Throws when an account may not have one more key. That it is there twice is told by the database, but not to a dry run. */
export async function checkKeyRoom(db: Queryable, key: OwnerKey): Promise<void> {
  const owner = key.metadata?.tenants[0] ?? '';
  const statement = {
    name: 'count-owner-keys',
    text: 'select count(*) as keys, count(*) filter (where fingerprint = $2) as same from owner_keys where owner = $1',
  };
  const [row] = await db.query<{ readonly keys: bigint; readonly same: bigint }>(statement, [owner, key.status?.fingerprint ?? '']);
  if ((row?.same ?? 0n) > 0n) {
    throw new StatusError('already_exists', 'field "spec": the account has this certificate or key already; there is no need to add it');
  }
  if ((row?.keys ?? 0n) < maxKeys) return;
  throw new StatusError(
    'resource_exhausted',
    `${owner} has ${maxKeys} certificates and keys, and may not have more, counting the key with which the market signs its tokens: delete one`,
  );
}
