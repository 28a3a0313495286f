import { createContext, useContext } from 'react';
import type { Session } from './session.ts';

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
