/** Refuses to take away what others refer to. */

import type { Principal } from '@quartermaster/auth';
import { StatusError } from '@quartermaster/kernel';
import { columnAt, type Queryable, type StoredObject } from '@quartermaster/store';
import type { AnyKind, AnyKinds, Kind } from '../kinds/index.ts';
import type { Usage } from '../rules/index.ts';
import { kindNamed } from './references.ts';

const maxNamed = 3;

/** Throws `failed_precondition` that names some of the objects that still refer to this one, as far as the caller sees them. */
export async function refuseWhileUsed<M extends StoredObject>(
  db: Queryable,
  kind: Kind<M>,
  kinds: AnyKinds,
  object: M,
  { principal, blocked }: { readonly principal: Principal; readonly blocked: Usage['blocks'] },
): Promise<void> {
  for (const usage of kind.usedBy) {
    if (blocked === 'delete' && usage.blocks === 'removal') continue;
    const user = kindNamed(kinds, usage.kind);
    const users = await usersOf(db, user, usage, object.id);
    if (users.length === 0) continue;
    const isNamed = principal.visibleTenants === 'all' || usage.isSeenTogether === true;
    const named = users.slice(0, maxNamed).map(({ id, name }) => (name === '' ? `"${id}"` : `"${name}" (${id})`));
    const more = users.length > maxNamed ? ' and more' : '';
    const what = users.length === 1 ? user.singular : usage.kind.replaceAll('_', ' ');
    const who = isNamed ? `${what} ${named.join(', ')}${more}` : `${users.length === 1 ? 'a ' : ''}${what}`;
    const refer = `${users.length === 1 ? 'refers' : 'refer'} to it in ${usage.field}`;
    throw new StatusError(
      'failed_precondition',
      `${kind.singular} "${object.id}" is in use: ${who} ${refer}; ${usage.wayOut ?? 'change or delete them first'}`,
      { details: { reason: 'IN_USE', kind: usage.kind, ...(isNamed ? { ids: users.slice(0, maxNamed).map(({ id }) => id) } : {}) } },
    );
  }
}

interface User {
  readonly id: string;
  readonly name: string;
}

async function usersOf(db: Queryable, type: AnyKind, { field }: Usage, id: string): Promise<readonly User[]> {
  const column = columnAt(type, field);
  if (column === undefined)
    throw new StatusError('internal', `${type.name}.${field} has no column: declare it, and add it to the migrations`);
  const condition = column.form === 'text[]' ? `${column.name} @> array[$1::text]` : `${column.name} = $1`;
  const text = `select id, name from ${type.name} where ${condition} order by id limit ${maxNamed + 1}`;
  return await db.query<User>({ name: `users-${type.name}-${column.name}`, text }, [id]);
}
