import { type BatchPart, type BatchRow, RawJson } from '@quartermaster/store';
import type { AuditEvent, AuditOrigin } from './audit-entry.ts';

/** Entries of the audit log, as a part of the batch that does what they tell of. */
export const auditPart: BatchPart = {
  name: 'audit',
  sql: (rows) => `insert into audit (id, actor, role, peer, method, kind, object_id, object_name, changes, outcome, request_id)
    select id, actor, role, peer, method, kind, object_id, object_name, changes, outcome, request_id
    from json_to_recordset(${rows}) as r(id text, actor text, role text, peer text, method text, kind text, object_id text, object_name text,
      changes jsonb, outcome text, request_id text)`,
};

/** A row of the part. Ids are UUIDv7: the log is read and pruned in their order. */
export function auditRow(id: string, origin: AuditOrigin, event: AuditEvent): BatchRow {
  return {
    id,
    actor: origin.actor,
    role: origin.role,
    peer: origin.peer,
    method: origin.method,
    kind: event.kind,
    object_id: event.objectId,
    object_name: event.objectName,
    changes: new RawJson(JSON.stringify(event.changes.map(stored))),
    outcome: event.outcome,
    request_id: origin.requestId,
  };
}

/** As filters expect a message to be stored: without what is empty. */
function stored({ path, before, after }: AuditEvent['changes'][number]): Readonly<Record<string, string>> {
  return { ...(path === '' ? {} : { path }), ...(before === '' ? {} : { before }), ...(after === '' ? {} : { after }) };
}
