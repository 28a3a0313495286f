import type { ConsolePage } from '../frame/console-page.ts';
import { CapacityPage } from './capacity-page.tsx';

export const capacity: ConsolePage = {
  label: 'Capacity',
  href: '/',
  key: 'c',
  section: 'Sell',
  routes: [{ path: '/', component: CapacityPage }],
  attention: ({ needs }) => needs?.all ?? 0,
};
