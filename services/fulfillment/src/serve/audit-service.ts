import { Audit, AuditEntrySchema } from '@quartermaster/api/fulfillment-extras';
import type { Clock } from '@quartermaster/kernel';
import { listAudit } from '@quartermaster/objects';
import { type ServedService, serve } from '@quartermaster/rpc';
import type { Queryable } from '@quartermaster/store';

/** The audit log. Those who may call it see all of it. */
export function auditService(options: { readonly database: Queryable; readonly clock: Clock }): ServedService {
  return serve(Audit, { list: (request) => listAudit({ ...options, entry: AuditEntrySchema }, request) });
}
