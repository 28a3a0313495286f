import { createContext, useContext } from 'react';
import { useFeedFreshness, useFreshnessOf } from '../api/use-feed.ts';
import { useFreshness, useLive } from '../live/use-live.ts';
import type { Freshness } from '../model/freshness.ts';
import { useMarket } from '../upstreams/use-market.ts';
import type { ConsolePage } from './console-page.ts';

export type TruthSource = NonNullable<ConsolePage['source']>;

/** Whose word the page in sight shows. */
export const TruthContext = createContext<TruthSource>('cluster');

/** How far the page in sight can be believed, and whether there is anything on it to believe. */
export function usePageTruth(): Freshness & { readonly isKnown: boolean } {
  const source = useContext(TruthContext);
  const cluster = useFreshness();
  const { summary } = useLive();
  const fulfillment = useFeedFreshness();
  const market = useFreshnessOf(useMarket().feed, 'market');
  if (source === 'cluster') return { ...cluster, isKnown: summary !== undefined };
  const feed = source === 'market' ? market : fulfillment;
  return { ...feed, isKnown: feed.kind !== 'waiting' };
}
