import { createContext, useContext } from 'react';
import { type CallerFacts, isStaffRole } from '../../console-session.ts';
import type { SessionView, SignInWay } from '../../session-view.ts';

/** Who looks, as the pages need it. */
export interface Session {
  readonly name: string;
  readonly role: string;
  /** Sees the private API and what the installation is made of. */
  readonly isStaff: boolean;
  /** Sees the inventory, also where the fulfillment service calls the caller a tenant. */
  readonly readsInventory: boolean;
  /** Methods: `/private.v1.Hosts/Update`. */
  readonly rights: ReadonlySet<string>;
  /** Whether the fulfillment service knows the caller: the inventory alone gives no rights there. */
  readonly isOfFulfillment: boolean;
  /** `*`: all of them. */
  readonly tenants: readonly string[];
  readonly defaultTenants: readonly string[];
  readonly mayReadSecrets: boolean;
  /** Whether this console asks a cluster service, and the caller is one of those whom it may answer. */
  readonly hasClusterService: boolean;
  /** Whether this console asks a market. */
  readonly hasMarket: boolean;
  /** What the market takes the caller for; undefined while it has not said, and for those whom it does not know. */
  readonly marketRole?: string | undefined;
  /** How one may sign in here. */
  readonly signIn: readonly SignInWay[];
}

/** Of methods of the fulfillment service: others have rights of the same name for what they log and who calls. */
const ofFulfillment = /^\/(fulfillment|private)\.v1\./;

/** The session of somebody whom a service knows. */
export function sessionOf({ signIn, upstreams = [] }: Pick<SessionView, 'signIn' | 'upstreams'>, caller: CallerFacts): Session {
  const { name, role, rights, tenants, default_tenants: defaultTenants, may_read_secrets: mayReadSecrets } = caller;
  const { is_staff = isStaffRole(role) } = caller;
  const isStaff = is_staff && isStaffRole(role);
  const isOfFulfillment = rights.some((right) => ofFulfillment.test(right));
  return {
    name,
    role,
    isStaff,
    readsInventory: is_staff,
    rights: new Set(isOfFulfillment ? rights : []),
    isOfFulfillment,
    tenants,
    defaultTenants,
    mayReadSecrets,
    hasClusterService: upstreams.includes('cluster') && is_staff,
    hasMarket: upstreams.includes('market'),
    signIn,
  };
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Who looks. A page is only there when its session is known. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession is used outside of SessionContext: wrap the page in one');
  return session;
}

/**
 * Changes who looks. Everything that the session of before asked for has ended when `change` is called; after it the page begins anew, at the address that
 * it resolves with.
 */
export type ChangeSession = (change: () => Promise<string>) => void;

export const ChangeSessionContext = createContext<ChangeSession | undefined>(undefined);

export function useChangeSession(): ChangeSession {
  const change = useContext(ChangeSessionContext);
  if (change === undefined) throw new Error('useChangeSession is used outside of ChangeSessionContext: wrap the page in one');
  return change;
}
