import type { ConsolePage } from '../frame/console-page.ts';
import { EventsPage } from './events-page.tsx';

export const events: ConsolePage = {
  label: 'Events',
  href: '/events',
  key: 'e',
  section: 'Trace',
  source: 'fulfillment',
  isFor: ({ kind }) => kind !== 'none',
  routes: [{ path: '/events', component: EventsPage }],
};
