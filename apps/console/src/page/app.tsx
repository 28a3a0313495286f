import { createTheme, localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Route, Switch } from 'wouter';
import { Frame } from './frame/frame.tsx';
import { PageBoundary } from './frame/page-boundary.tsx';
import type { LiveStore } from './live/live-store.ts';
import { NowProvider } from './live/now-provider.tsx';
import { LiveContext } from './live/use-live.ts';
import { pages } from './pages.ts';
import { NotFound } from './parts/not-found.tsx';

const theme = createTheme({
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace',
  defaultRadius: 4,
  cursorType: 'pointer',
});

const colorSchemes = localStorageColorSchemeManager({ key: 'quartermaster-color-scheme' });
const routes = pages.flatMap((page) => page.routes);

/** The whole page: what the server says, the frame around it, and one view for each address. */
export function App({ store }: { readonly store: LiveStore }) {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={colorSchemes} getStyleNonce={styleNonce}>
      <LiveContext value={store}>
        <NowProvider>
          <Frame pages={pages}>
            <Switch>
              {routes.map(({ path, component: View }) => (
                <Route key={path} path={path}>
                  {(params) => (
                    <PageBoundary key={path}>
                      <View params={params} />
                    </PageBoundary>
                  )}
                </Route>
              ))}
              <Route>
                <NotFound pages={pages} />
              </Route>
            </Switch>
          </Frame>
        </NowProvider>
      </LiveContext>
    </MantineProvider>
  );
}

/** Inline styles are allowed with the nonce that the server put into the page, and no others. */
const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
