import { createContext, useContext } from 'react';
import { isStaffRole, type SessionAnswer } from '../../console-session.ts';

/** Who looks, as the pages need it. */
export interface Session {
  /** `none`: there is no fulfillment service here. */
  readonly kind: SessionAnswer['kind'];
  readonly name: string;
  readonly role: string;
  /** Sees the private API and what the installation is made of. */
  readonly isStaff: boolean;
  /** Methods: `/private.v1.Hosts/Update`. Empty while the service does not answer. */
  readonly rights: ReadonlySet<string>;
  /** `*`: all of them. */
  readonly tenants: readonly string[];
  readonly defaultTenants: readonly string[];
  readonly mayReadSecrets: boolean;
  /** Why the rights are not known. */
  readonly problem: string | undefined;
}

export function sessionOf({ kind, role, caller, problem }: SessionAnswer): Session {
  return {
    kind,
    name: caller?.name ?? '',
    role,
    isStaff: isStaffRole(role),
    rights: new Set(caller?.rights),
    tenants: caller?.tenants ?? [],
    defaultTenants: caller?.default_tenants ?? [],
    mayReadSecrets: caller?.may_read_secrets ?? false,
    problem,
  };
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Who looks. A page is only there when its session is known. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession is used outside of SessionContext: wrap the page in one');
  return session;
}

/** Changes who looks. Everything that the session of before asked for has ended when `change` is called; after it the page begins anew. */
export type ChangeSession = (change: () => Promise<unknown>) => void;

export const ChangeSessionContext = createContext<ChangeSession | undefined>(undefined);

export function useChangeSession(): ChangeSession {
  const change = useContext(ChangeSessionContext);
  if (change === undefined) throw new Error('useChangeSession is used outside of ChangeSessionContext: wrap the page in one');
  return change;
}
