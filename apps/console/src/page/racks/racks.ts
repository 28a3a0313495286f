import { hostKind, may } from '../api/object-kind.ts';
import type { ConsolePage } from '../frame/console-page.ts';
import { RacksPage } from './racks-page.tsx';

export const racks: ConsolePage = {
  label: 'Racks',
  href: '/racks',
  key: 'r',
  section: 'Own',
  source: 'fulfillment',
  isFor: (session) => session.isStaff && may(session, 'List', hostKind),
  routes: [{ path: '/racks', component: RacksPage }],
};
