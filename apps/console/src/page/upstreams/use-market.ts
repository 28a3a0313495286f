import { createContext, useContext } from 'react';
import type { CallerFacts } from '../../console-session.ts';
import type { ApiError } from '../api/api-error.ts';
import type { EventFeed } from '../api/event-feed.ts';

/** Where the console passes on to the market. */
export const marketPath = '/api/market/v1';

/** What begins the addresses of the market's pages. */
export const marketHrefs = ['/deployments', '/orders', '/leases'] as const;

export interface MarketAccess {
  /** Who the market takes the caller for; undefined while it has not said, and for those whom it does not know. */
  readonly caller: CallerFacts | undefined;
  /** Whether the market has said what the caller may do, or there is none to ask. */
  readonly isKnown: boolean;
  readonly problem: ApiError | undefined;
  /** What happens there, followed while one of its pages is in sight. */
  readonly feed: EventFeed;
}

export const MarketContext = createContext<MarketAccess | undefined>(undefined);

export function useMarket(): MarketAccess {
  const market = useContext(MarketContext);
  if (market === undefined) throw new Error('useMarket is used outside of MarketContext: wrap the page in one');
  return market;
}
