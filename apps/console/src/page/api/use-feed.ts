import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import { useNow } from '../live/use-live.ts';
import { type Freshness, feedFreshness } from '../model/freshness.ts';
import type { EventFeed, FeedEvent } from './event-feed.ts';

export const FeedContext = createContext<EventFeed | undefined>(undefined);

function useFeed(): EventFeed {
  const feed = useContext(FeedContext);
  if (feed === undefined) throw new Error('useFeed is used outside of FeedContext: wrap the page in one');
  return feed;
}

/** Calls back for everything that happens to objects, while the component is there. */
export function useFeedEvents(listener: (event: FeedEvent) => void): void {
  const feed = useFeed();
  const newest = useRef(listener);
  useEffect(() => {
    newest.current = listener;
  }, [listener]);
  useEffect(() => feed.listen((event) => newest.current(event)), [feed]);
}

/** How far what the service behind the page said can be believed. */
export const useFeedFreshness = (): Freshness => useFreshnessOf(useFeed());

export function useFreshnessOf(feed: EventFeed, who?: string): Freshness {
  const { connection, heardAt, problem } = useSyncExternalStore(feed.subscribe, feed.current);
  return feedFreshness({ now: useNow(), connection, heardAt }, problem, who);
}
