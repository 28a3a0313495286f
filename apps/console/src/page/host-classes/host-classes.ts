import { hostClassKind, may } from '../api/object-kind.ts';
import type { ConsolePage } from '../frame/console-page.ts';
import { HostClassPage } from './host-class-page.tsx';
import { HostClassesPage } from './host-classes-page.tsx';

export const hostClasses: ConsolePage = {
  label: 'Host classes',
  href: '/host-classes',
  key: 'l',
  section: 'Own',
  source: 'fulfillment',
  isFor: (session) => may(session, 'List', hostClassKind),
  routes: [
    { path: '/host-classes', component: HostClassesPage },
    { path: '/host-classes/:id', component: HostClassPage },
  ],
};
