import type { ConsolePage } from '../frame/console-page.ts';
import { AuditPage } from './audit-page.tsx';

export const audit: ConsolePage = {
  label: 'Audit',
  href: '/audit',
  key: 'a',
  section: 'Trace',
  source: 'fulfillment',
  isFor: ({ rights }) => rights.has('/quartermaster.fulfillment.v1.Audit/List'),
  routes: [{ path: '/audit', component: AuditPage }],
};
