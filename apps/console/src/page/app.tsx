import { createTheme, localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Route, Switch } from 'wouter';
import { Frame } from './frame/frame.tsx';
import type { LiveStore } from './live/live-store.ts';
import { NowProvider } from './live/now-provider.tsx';
import { LiveContext } from './live/use-live.ts';
import { NodePage } from './nodes/node-page.tsx';
import { NodesPage } from './nodes/nodes-page.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { NotFound } from './parts/not-found.tsx';
import { PodsPage } from './pods/pods-page.tsx';

const theme = createTheme({
  fontFamily: 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace',
  defaultRadius: 4,
  cursorType: 'pointer',
});

const colorSchemes = localStorageColorSchemeManager({ key: 'quartermaster-color-scheme' });

/** The whole page: what the server says, the frame around it, and one view for each address. */
export function App({ store }: { readonly store: LiveStore }) {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" colorSchemeManager={colorSchemes} getStyleNonce={styleNonce}>
      <LiveContext value={store}>
        <NowProvider>
          <Frame>
            <Switch>
              <Route path="/" component={OverviewPage} />
              <Route path="/nodes" component={NodesPage} />
              <Route path="/nodes/:name">{({ name }) => <NodePage name={name} />}</Route>
              <Route path="/pods" component={PodsPage} />
              <Route component={NotFound} />
            </Switch>
          </Frame>
        </NowProvider>
      </LiveContext>
    </MantineProvider>
  );
}

/** Inline styles are allowed with the nonce that the server put into the page, and no others. */
const styleNonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
