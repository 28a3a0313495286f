import { isOwn, type Principal } from '@quartermaster/auth';
import { StatusError } from '@quartermaster/kernel';
import type { StoredObject } from '@quartermaster/store';

/**
 * Whether a caller may open the secrets of an object that it sees: one whose role says so, or one of the tenants that own it. Those who see the objects of all tenants
 * own none of them.
 */
export function mayReveal(principal: Principal, tenants: readonly string[]): boolean {
  return principal.mayReadSecrets || (principal.visibleTenants !== 'all' && isOwn(principal, tenants));
}

export function checkMayReveal(principal: Principal, { singular }: { readonly singular: string }, object: StoredObject): void {
  if (mayReveal(principal, object.metadata?.tenants ?? [])) return;
  throw new StatusError(
    'permission_denied',
    `field "reveal": ${principal.name} has the role ${principal.role}, which may not open the secrets of ${singular} "${object.id}": leave it out to read the ${singular} without them, or ask an administrator`,
  );
}
