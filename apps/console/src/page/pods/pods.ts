import type { ConsolePage } from '../frame/console-page.ts';
import { podHref } from '../model/addresses.ts';
import { PodsPage } from './pods-page.tsx';

export const pods: ConsolePage = {
  label: 'Pods',
  href: '/pods',
  key: 'p',
  section: 'Run',
  routes: [{ path: '/pods', component: PodsPage }],
  attention: ({ cluster }) => cluster?.podsByPhase['Failed'] ?? 0,
  finds: { pod: podHref },
};
