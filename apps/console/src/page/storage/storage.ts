import type { ConsolePage } from '../frame/console-page.ts';
import { storageHref } from '../model/addresses.ts';
import { StoragePage } from './storage-page.tsx';

export const storage: ConsolePage = {
  label: 'Storage',
  href: '/storage',
  key: 's',
  section: 'Run',
  routes: [{ path: '/storage', component: StoragePage }],
  attention: ({ needs }) => needs?.storage ?? 0,
  finds: { class: storageHref },
};
