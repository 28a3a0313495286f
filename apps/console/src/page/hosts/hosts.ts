import { hostKind, may } from '../api/object-kind.ts';
import type { ConsolePage } from '../frame/console-page.ts';
import { hostHref } from './host.ts';
import { HostPage } from './host-page.tsx';
import { HostsPage } from './hosts-page.tsx';

export const hosts: ConsolePage = {
  label: 'Hosts',
  href: '/hosts',
  key: 'h',
  section: 'Own',
  source: 'fulfillment',
  isFor: (session) => may(session, 'List', hostKind),
  routes: [
    { path: '/hosts', component: HostsPage },
    { path: '/hosts/:id', component: HostPage },
  ],
  troubles: { kind: hostKind, filter: 'this.status.state == HOST_STATE_FAILED' },
  finds: { host: hostHref },
};
