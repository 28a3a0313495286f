import { StatusError } from '@quartermaster/kernel';
import type { Identity } from '@quartermaster/rpc';

export const roles = ['admin', 'provider', 'sync', 'tenant'] as const;

/**
 * What a caller is to the service. `admin` may do everything; `provider` runs the datacenter and reads no secrets; `sync` brings in the hosts of
 * one source; `tenant` uses the public API for what belongs to it.
 */
export type Role = (typeof roles)[number];

/** Names of tenants, or all that there are and will be. */
export type Tenants = 'all' | readonly string[];

/** A caller that was authenticated, and what follows from who it is. */
export interface Principal {
  readonly name: string;
  readonly role: Role;
  /** Objects of no other tenants exist for it. */
  readonly visibleTenants: Tenants;
  /** Those that it may give an object to. */
  readonly assignableTenants: Tenants;
  /** Those of an object that it creates without naming any. */
  readonly defaultTenants: readonly string[];
  /** The source of hosts that it speaks for; of the role `sync` only, and always there. */
  readonly source?: string;
  /** Whether a Get of the private API shows it secrets. Lists and events show them to nobody. */
  readonly mayReadSecrets: boolean;
  /** Whether it may write hosts through the public API. */
  readonly mayWriteHosts: boolean;
}

/** An identity that the service's authenticator made. */
export interface PrincipalIdentity extends Identity {
  readonly principal: Principal;
  /** When what the caller showed ends, in milliseconds since the epoch; undefined where that is not known or never. */
  readonly endsAt?: number;
  /** Finds out anew who the caller is and whether it may still make this call, as when it made it. */
  readonly examine?: (signal: AbortSignal) => Promise<Identity>;
}

/** The principal behind a call. Throws `unauthenticated` for a caller that nobody knows. */
export function principalOf(identity: Identity): Principal {
  if (isPrincipalIdentity(identity)) return identity.principal;
  throw new StatusError('unauthenticated', 'the caller is not known: send the header "authorization: Bearer <token>"');
}

/** When what the caller showed ends; undefined where that is not known or never. */
export function endOf(identity: Identity): number | undefined {
  return isPrincipalIdentity(identity) ? identity.endsAt : undefined;
}

/** How to find out anew who the caller is; undefined for one that nobody knows. */
export function examinationOf(identity: Identity): PrincipalIdentity['examine'] {
  return isPrincipalIdentity(identity) ? identity.examine : undefined;
}

function isPrincipalIdentity(identity: Identity): identity is PrincipalIdentity {
  return 'principal' in identity;
}
