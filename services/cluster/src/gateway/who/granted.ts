import type { LeaseId } from '../../model/lease.ts';
import type { Scope, TokenAccess, TokenPermission } from './token-claims.ts';

/** Services of a lease that may be touched; nothing where none of it may. */
export type Granted = 'all' | ReadonlySet<string>;

const nothing: ReadonlySet<string> = new Set();

/** For what of a lease the holder may use a scope. Several grants add up. */
export function granted(access: TokenAccess, lease: LeaseId, scope: Scope): Granted {
  switch (access.access) {
    case 'full':
      return 'all';
    case 'scoped':
      return access.scope.includes(scope) ? 'all' : nothing;
    case 'granular':
      return united(
        access.permissions.filter(({ provider }) => provider === lease.provider).map((each) => byPermission(each, lease, scope)),
      );
  }
}

function byPermission(permission: TokenPermission, lease: LeaseId, scope: Scope): Granted {
  switch (permission.access) {
    case 'full':
      return 'all';
    case 'scoped':
      return permission.scope.includes(scope) ? 'all' : nothing;
    case 'granular':
      return united(
        permission.deployments
          .filter(
            ({ dseq, gseq = lease.gseq, oseq = lease.oseq }) => BigInt(dseq) === lease.dseq && gseq === lease.gseq && oseq === lease.oseq,
          )
          .filter((each) => each.scope.includes(scope))
          .map(({ services }) => (services === undefined ? 'all' : new Set(services))),
      );
  }
}

function united(grants: readonly Granted[]): Granted {
  const named: ReadonlySet<string>[] = [];
  for (const each of grants) {
    if (each === 'all') return 'all';
    named.push(each);
  }
  return new Set(named.flatMap((each) => [...each]));
}

export const isNothing = (grant: Granted): boolean => grant !== 'all' && grant.size === 0;
export const covers = (grant: Granted, service: string): boolean => grant === 'all' || grant.has(service);
