import type { ConsolePage } from '../frame/console-page.ts';
import { OverviewPage } from './overview-page.tsx';

export const overview: ConsolePage = {
  label: 'Overview',
  href: '/overview',
  key: 'o',
  section: 'Trace',
  routes: [{ path: '/overview', component: OverviewPage }],
  attention: ({ parts }) => parts.filter(({ state }) => state === 'failed' || state === 'degraded').length,
  finds: { part: () => '/overview' },
};
