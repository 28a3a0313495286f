export type { AuditEvent, AuditOrigin, FieldChange } from './audit-entry.ts';
export { AuditLog, type AuditLogOptions } from './audit-log.ts';
export { auditPart, auditRow } from './audit-part.ts';
export { type AuditServiceOptions, auditService } from './audit-service.ts';
export { auditShape } from './audit-settings.ts';
export { diffMessages, type MessageDiffOptions } from './message-diff.ts';
