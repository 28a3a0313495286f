import { systemClock, systemRandom } from '@quartermaster/kernel';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { usePageShown } from '../live/use-page-shown.ts';
import { useSession } from '../session/session.ts';
import { ApiError, isPassing } from './api-error.ts';
import { logKey } from './audit-entry.ts';
import { EventFeed } from './event-feed.ts';
import { objectKinds } from './object-kind.ts';
import { openWatch } from './open-watch.ts';
import { refresher } from './refresher.ts';
import { FeedContext } from './use-feed.ts';

/** What the pages read of the API, kept true by its events. */
export function ApiProvider({ children }: { readonly children: ReactNode }) {
  const { isOfFulfillment, isStaff } = useSession();
  const [queries] = useState(newQueries);
  const [feed] = useState(
    () => new EventFeed(openWatch(isStaff ? '/api/private/v1/events/watch' : '/api/events/v1/events'), systemClock, systemRandom),
  );
  useEffect(() => {
    if (!isOfFulfillment) return;
    const stopListening = feed.listen(refresher(queries, objectKinds, (key) => key[0] !== logKey[0]));
    const retry = (): void => feed.reconnectNow();
    window.addEventListener('online', retry);
    return () => {
      window.removeEventListener('online', retry);
      stopListening();
    };
  }, [feed, queries, isOfFulfillment]);
  const isSeen = usePageShown();
  // What happens meanwhile comes after: the feed goes on from its token.
  useEffect(() => {
    if (!isOfFulfillment || !isSeen) return;
    feed.start();
    return () => feed.stop();
  }, [feed, isOfFulfillment, isSeen]);
  return (
    <QueryClientProvider client={queries}>
      <FeedContext value={feed}>{children}</FeedContext>
    </QueryClientProvider>
  );
}

function newQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Events say when something changed; nothing grows old by itself.
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        networkMode: 'always',
        retry: (_count, thrown) => isPassing(ApiError.from(thrown)),
        retryDelay: (count) => Math.min(10_000, 500 * 2 ** count),
      },
    },
  });
}
