export type { AuditEvent, AuditOrigin } from './audit-entry.ts';
export { AuditLog } from './audit-log.ts';
export { auditPart, auditRow } from './audit-part.ts';
export { auditRefusals } from './audit-refusals.ts';
export { listAudit } from './list-audit.ts';
export { diffMessages } from './message-diff.ts';
export { recordWrite } from './record-write.ts';
export { RevealLog } from './reveal-log.ts';
