export { AuditLog } from './audit-log.ts';
export { auditRefusals } from './audit-refusals.ts';
export { auditService } from './audit-service.ts';
