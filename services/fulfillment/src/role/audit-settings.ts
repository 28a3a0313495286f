import { duration } from '@quartermaster/service';

/** What the service can be told of its audit log. Part of its settings. */
export const auditShape = {
  'fulfillment-audit-retention': duration({ min: '1h' }).prefault('365d').describe('How long the audit log keeps its entries.'),
} as const;
