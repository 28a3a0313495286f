import { type Principal, reservedTenants } from '@quartermaster/auth';
import { invalidFields, StatusError } from '@quartermaster/kernel';

/** The account that a new object of the caller belongs to: the tenant that it names, or the only one that it has. Whether it may give it to that one is seen later. */
export function accountFor({ defaultTenants }: Pick<Principal, 'defaultTenants'>, named: readonly string[]): string {
  const own = defaultTenants.filter((tenant) => !reservedTenants.has(tenant));
  const [account, ...more] = named.length > 0 ? named : own;
  if (account !== undefined && more.length === 0 && !reservedTenants.has(account)) return account;
  const choice = own.length === 0 ? 'name one' : `name one of ${own.join(', ')}`;
  throw invalidFields([{ field: 'metadata.tenants', description: `must be exactly one tenant, whose account it is for; ${choice}` }]);
}

/** The account that the caller bids for. */
export function providerOf({ name, source }: Principal): string {
  if (source !== undefined) return source;
  throw new StatusError('permission_denied', `${name} bids for no account: give it one in market-providers`);
}
