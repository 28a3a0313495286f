import { isDeepStrictEqual } from 'node:util';
import type { Principal } from '@quartermaster/auth';
import { StatusError } from '@quartermaster/kernel';
import { fieldValue, type StoredObject } from '@quartermaster/store';
import type { Kind } from '../kinds/index.ts';

/** Throws when a write changes a field that the role of the caller may not write. `before` is undefined for a new object. Secrets that stay have their mark in both. */
export function checkReserved<M extends StoredObject>(
  { schema, rules }: Kind<M>,
  principal: Principal,
  before: M | undefined,
  after: M,
): void {
  for (const { field, roles, why } of rules.reserved) {
    if (roles.includes(principal.role)) continue;
    const read = fieldValue(schema, field);
    if (isDeepStrictEqual(plain(before && read(before)), plain(read(after)))) continue;
    throw new StatusError(
      'permission_denied',
      `field "${field}": ${principal.name} has the role ${principal.role}, which may not write it: ${why}`,
    );
  }
}

/** One value for all that is not set, and one form for bytes. */
function plain(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value ?? '');
}
