import { auditRight } from '../api/audit-entry.ts';
import type { ConsolePage } from '../frame/console-page.ts';
import { AuditPage } from './audit-page.tsx';

export const audit: ConsolePage = {
  label: 'Audit',
  href: '/audit',
  key: 'a',
  section: 'Trace',
  source: 'fulfillment',
  isFor: ({ rights }) => rights.has(auditRight),
  routes: [{ path: '/audit', component: AuditPage }],
};
