import { hostPoolKind, may } from '../api/object-kind.ts';
import type { ConsolePage } from '../frame/console-page.ts';
import { HostPoolPage } from './host-pool-page.tsx';
import { HostPoolsPage } from './host-pools-page.tsx';

export const hostPools: ConsolePage = {
  label: 'Host pools',
  href: '/host-pools',
  key: 'i',
  section: 'Own',
  source: 'fulfillment',
  isFor: (session) => may(session, 'List', hostPoolKind),
  routes: [
    { path: '/host-pools', component: HostPoolsPage },
    { path: '/host-pools/:id', component: HostPoolPage },
  ],
};
