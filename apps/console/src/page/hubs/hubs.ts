import { hubKind, may } from '../api/object-kind.ts';
import type { ConsolePage } from '../frame/console-page.ts';
import { HubPage } from './hub-page.tsx';
import { HubsPage } from './hubs-page.tsx';

export const hubs: ConsolePage = {
  label: 'Hubs',
  href: '/hubs',
  key: 'u',
  section: 'Own',
  source: 'fulfillment',
  isFor: (session) => session.isStaff && may(session, 'List', hubKind),
  routes: [
    { path: '/hubs', component: HubsPage },
    { path: '/hubs/:id', component: HubPage },
  ],
};
