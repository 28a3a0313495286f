/** Whose an object is, and who sees it: pure rules over sets of tenants. */
import { StatusError } from '@quartermaster/kernel';
import type { Principal, Tenants } from './principal.ts';

/** Objects of this tenant are there for everybody to see. */
export const sharedTenant = 'shared';

/** Names that no group, namespace or caller can claim for itself. */
export const reservedTenants: ReadonlySet<string> = new Set([sharedTenant, 'system', 'guest']);

/** Whether a set has a tenant. */
export function hasTenant(tenants: Tenants, tenant: string): boolean {
  return tenants === 'all' || tenants.includes(tenant);
}

/** Whether an object that belongs to these tenants exists for the principal. */
export function isVisible({ visibleTenants }: Pick<Principal, 'visibleTenants'>, tenants: readonly string[]): boolean {
  return visibleTenants === 'all' || tenants.some((tenant) => visibleTenants.includes(tenant));
}

/**
 * Whether an object that belongs to these tenants is the principal's own. One that is only shared with it can be seen, and nothing else: it cannot change it, take it over,
 * or have what opens it.
 */
export function isOwn(
  { visibleTenants, assignableTenants }: Pick<Principal, 'visibleTenants' | 'assignableTenants'>,
  tenants: readonly string[],
): boolean {
  return visibleTenants === 'all' || tenants.some((tenant) => hasTenant(assignableTenants, tenant));
}

/** Of the tenants of an object, those that the principal may know of; sorted. */
export function visibleOf({ visibleTenants }: Pick<Principal, 'visibleTenants'>, tenants: readonly string[]): string[] {
  return sorted(tenants.filter((tenant) => hasTenant(visibleTenants, tenant)));
}

type Owner = Pick<Principal, 'visibleTenants' | 'assignableTenants' | 'defaultTenants'>;

/**
 * The tenants of a new object: those asked for or else the default ones, and in any case those that the principal must give and cannot see. Throws
 * `permission_denied` for a tenant that it does not see, which is the answer for one that does not exist, too, or may not give.
 */
export function tenantsForCreate(principal: Owner, requested: readonly string[]): string[] {
  const chosen = requested.length === 0 ? principal.defaultTenants : allowed(principal, requested, []);
  return sorted([...chosen, ...imposed(principal)]);
}

/**
 * The tenants of an object after an update that names some. What the principal cannot see of the stored ones stays, and what the object already had
 * needs no right to be given. Naming none leaves them as they are.
 */
export function tenantsForUpdate(principal: Owner, requested: readonly string[], stored: readonly string[]): string[] {
  if (requested.length === 0) return sorted(stored);
  const unseen = stored.filter((tenant) => !hasTenant(principal.visibleTenants, tenant));
  return sorted([...allowed(principal, requested, stored), ...unseen]);
}

function allowed(principal: Owner, requested: readonly string[], stored: readonly string[]): readonly string[] {
  for (const tenant of requested) {
    if (!hasTenant(principal.visibleTenants, tenant)) throw refusal(tenant, "doesn't exist", principal);
    if (!stored.includes(tenant) && !hasTenant(principal.assignableTenants, tenant)) throw refusal(tenant, "can't be assigned", principal);
  }
  return requested;
}

function refusal(tenant: string, rule: string, { assignableTenants }: Owner): StatusError {
  const way =
    assignableTenants === 'all' || assignableTenants.length === 0
      ? 'leave metadata.tenants empty'
      : `leave metadata.tenants empty or use ${assignableTenants.map((name) => `'${name}'`).join(', ')}`;
  return new StatusError('permission_denied', `field "metadata.tenants": tenant '${tenant}' ${rule}: ${way}`);
}

function imposed({ assignableTenants, visibleTenants }: Owner): readonly string[] {
  if (assignableTenants === 'all') return [];
  return assignableTenants.filter((tenant) => !hasTenant(visibleTenants, tenant));
}

function sorted(tenants: readonly string[]): string[] {
  return [...new Set(tenants)].toSorted(byCodeUnit);
}

const byCodeUnit = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
