import { createTheme, localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { type ReactNode, useEffect, useMemo } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { problemText } from './api/api-error.ts';
import { ApiProvider } from './api/api-provider.tsx';
import { FeedContext } from './api/use-feed.ts';
import { EventLogProvider } from './events/event-log-provider.tsx';
import { type ConsolePage, isShown } from './frame/console-page.ts';
import { Frame } from './frame/frame.tsx';
import { NotFound } from './frame/not-found.tsx';
import { PageBoundary } from './frame/page-boundary.tsx';
import { SessionProvider } from './frame/session-provider.tsx';
import type { LiveStore } from './live/live-store.ts';
import { NowProvider } from './live/now-provider.tsx';
import { LiveContext } from './live/use-live.ts';
import { usePageShown } from './live/use-page-shown.ts';
import { styleNonce } from './model/style-nonce.ts';
import { pages } from './pages.ts';
import { usePageTitle } from './parts/page-title.ts';
import { Ghosts } from './parts/waiting.tsx';
import type { SignInFragment } from './session/fragment.ts';
import { useSession } from './session/session.ts';
import { MarketProvider } from './upstreams/market-provider.tsx';
import { useClusterAccess } from './upstreams/use-cluster-service.ts';
import { useMarket } from './upstreams/use-market.ts';

const theme = createTheme({
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace',
  defaultRadius: 4,
  cursorType: 'pointer',
});

const colorSchemes = localStorageColorSchemeManager({ key: 'quartermaster-color-scheme' });

/** The whole page: who looks, what the servers say, the frame around it, and one view for each address. */
export function App({ store, fragment }: { readonly store: LiveStore; readonly fragment: SignInFragment }) {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={colorSchemes} getStyleNonce={styleNonce}>
      <LiveContext value={store}>
        <NowProvider>
          <SessionProvider fragment={fragment}>
            <ApiProvider>
              <MarketProvider>
                <EventLogProvider>
                  <Views store={store} />
                </EventLogProvider>
              </MarketProvider>
            </ApiProvider>
          </SessionProvider>
        </NowProvider>
      </LiveContext>
    </MantineProvider>
  );
}

function Views({ store }: { readonly store: LiveStore }) {
  const session = useSession();
  const { readsInventory } = session;
  const isSeen = usePageShown();
  useEffect(() => {
    if (!readsInventory || !isSeen) return;
    store.start();
    return () => store.pause();
  }, [store, readsInventory, isSeen]);
  const hasClusterService = useClusterAccess().isShown;
  const shown = useMemo(() => pages.filter((page) => isShown(page, session, hasClusterService)), [session, hasClusterService]);
  const first = shown[0]?.href ?? '/';
  return (
    <Frame pages={shown}>
      <Switch>
        {shown
          .flatMap(({ routes, label, source }) => routes.map((route) => ({ ...route, label, source })))
          .map(({ path, label, source, component: View }) => (
            <Route key={path} path={path}>
              {(params) => (
                <PageBoundary key={path}>
                  <TitledBy label={label} />
                  <OfSource source={source}>
                    <View params={params} />
                  </OfSource>
                </PageBoundary>
              )}
            </Route>
          ))}
        {first !== '/' && (
          <Route path="/">
            <Redirect to={first} replace />
          </Route>
        )}
        <Route>
          <Elsewhere pages={shown} />
        </Route>
      </Switch>
    </Frame>
  );
}

/** What happens to objects of the market is told by the market. */
function OfSource({ source, children }: { readonly source: ConsolePage['source']; readonly children: ReactNode }) {
  const { feed } = useMarket();
  return source === 'market' ? <FeedContext value={feed}>{children}</FeedContext> : children;
}

/** Until the market has said who looks, nobody knows whether it has a page there. */
function Elsewhere({ pages: shown }: { readonly pages: readonly ConsolePage[] }) {
  const { isKnown, problem } = useMarket();
  if (isKnown) return <NotFound pages={shown} />;
  return <Ghosts>{problem === undefined ? 'Loading your pages …' : problemText(problem, 'market')}</Ghosts>;
}

/** The title of a page that has none of its own: stands before the page, so that what the page says counts. */
function TitledBy({ label }: { readonly label: string }) {
  usePageTitle(label);
  return null;
}
