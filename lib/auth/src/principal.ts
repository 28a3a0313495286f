import { StatusError } from '@quartermaster/kernel';
import type { Identity } from '@quartermaster/rpc';

/** Names of tenants, or all that there are and will be. */
export type Tenants = 'all' | readonly string[];

/** A caller that was authenticated, and what follows from who it is. */
export interface Principal {
  readonly name: string;
  /** One of those that the service declares. */
  readonly role: string;
  /** Objects of no other tenants exist for it. */
  readonly visibleTenants: Tenants;
  /** Those that it may give an object to. */
  readonly assignableTenants: Tenants;
  /** Those of an object that it creates without naming any. */
  readonly defaultTenants: readonly string[];
  /** The source that it speaks for; always there where the role asks for one, and else never. */
  readonly source?: string | undefined;
  /** Whether it may open the secrets of every object that it sees. Lists and events show them to nobody. */
  readonly mayReadSecrets: boolean;
  /** Whether a Get shows it secrets without being asked to. */
  readonly readsSecretsUnasked?: boolean | undefined;
}

/** An identity that the service's authenticator made. */
export interface PrincipalIdentity extends Identity {
  readonly principal: Principal;
  /** When what the caller showed ends, in milliseconds since the epoch; undefined where that is not known or never. */
  readonly endsAt?: number | undefined;
  /** Finds out anew who the caller is and whether it may still make this call, as when it made it. */
  readonly examine?: ((signal: AbortSignal) => Promise<Identity>) | undefined;
}

/** The principal behind a call. Throws `unauthenticated` for a caller that nobody knows. */
export function principalOf(identity: Identity): Principal {
  if (isPrincipalIdentity(identity)) return identity.principal;
  throw new StatusError('unauthenticated', 'not authenticated: send the header "authorization: Bearer <token>"');
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
