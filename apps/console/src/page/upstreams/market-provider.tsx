import { systemClock, systemRandom } from '@quartermaster/kernel';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import type { CallerFacts } from '../../console-session.ts';
import { isPassing, problemOf } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { EventFeed, type OpenWatch } from '../api/event-feed.ts';
import { marketKinds, orderKind } from '../api/object-kind.ts';
import { openWatch } from '../api/open-watch.ts';
import { refresher } from '../api/refresher.ts';
import { usePageShown } from '../live/use-page-shown.ts';
import { SessionContext, useSession } from '../session/session.ts';
import { MarketContext, marketHrefs, marketPath } from './use-market.ts';

/** Who somebody is there changes seldom. */
const askAgainMs = 30_000;

/** Of its own methods: others have rights of the same name as the fulfillment service's. */
const ofMarket = '/quartermaster.market.v1.';

const noRights: readonly string[] = [];
const kindNames: readonly unknown[] = marketKinds.map(({ name }) => name);

/** Asks the market who looks, adds what they may do there to the session, and follows what happens there while one of its pages is in sight. */
export function MarketProvider({ children }: { readonly children: ReactNode }) {
  const session = useSession();
  const { hasMarket } = session;
  const queries = useQueryClient();
  const { data, error, failureReason } = useQuery({
    queryKey: ['market session'],
    queryFn: ({ signal }) => callApi<CallerFacts>(`${marketPath}/session`, { signal }),
    refetchInterval: askAgainMs,
    enabled: hasMarket,
  });
  const problem = problemOf(error ?? failureReason);
  const caller = problem === undefined || isPassing(problem) ? data : undefined;
  const isKnown = !hasMarket || caller !== undefined || (problem !== undefined && !isPassing(problem));
  const rights = caller?.rights ?? noRights;
  const looking = useMemo(
    () => ({
      ...session,
      rights: new Set([...session.rights, ...rights.filter((right) => right.startsWith(ofMarket))]),
      marketRole: caller?.role,
    }),
    [session, rights, caller?.role],
  );
  const isProvider = rights.includes(`${ofMarket}ProviderMarket/Watch`);
  const isFollowed = isProvider || rights.includes(`${ofMarket}Events/Watch`);
  const feed = useMemo(
    () => new EventFeed(isProvider ? wakes : openWatch(`${marketPath}/events/watch`), systemClock, systemRandom),
    [isProvider],
  );
  const [location] = useLocation();
  const isWanted = isFollowed && marketHrefs.some((href) => location === href || location.startsWith(`${href}/`));
  const isSeen = usePageShown();
  useEffect(() => {
    const isTold = ([, kind]: readonly unknown[]): boolean => kindNames.includes(kind);
    return feed.listen(refresher(queries, marketKinds, isTold));
  }, [feed, queries]);
  useEffect(() => {
    if (!isWanted || !isSeen) return;
    feed.start();
    return () => feed.stop();
  }, [feed, isWanted, isSeen]);
  const market = useMemo(() => ({ caller, isKnown, problem, feed }), [caller, isKnown, problem, feed]);
  return (
    <MarketContext value={market}>
      <SessionContext value={looking}>{children}</SessionContext>
    </MarketContext>
  );
}

const providerWatch = openWatch(`${marketPath}/provider/watch`, {});

/** A provider is only told that something may have changed: whatever it is shown of orders is read again. */
const wakes: OpenWatch = (_token, on) =>
  providerWatch(undefined, {
    ...on,
    message: () => on.message({ event: { type: 'EVENT_TYPE_OBJECT_UPDATED', [orderKind.payload]: { id: '' } }, token: 'woken' }),
  });
