export { AuditLog } from './audit-log.ts';
export { auditService } from './audit-service.ts';
