import type { ObjectType, StoredObject, WriteBatch } from '@quartermaster/store';
import type { AuditOrigin } from './audit-entry.ts';
import { auditPart, auditRow } from './audit-part.ts';
import { diffMessages } from './message-diff.ts';

interface Written {
  readonly metadata?: { readonly deletionTimestamp?: unknown; readonly finalizers: readonly string[] } | undefined;
}

/** What a write made of an object: `deleted` is one that waits for its finalizers, `archived` one that is gone. */
export function outcomeOf(before: Written | undefined, after: Written): 'created' | 'updated' | 'deleted' | 'archived' {
  if (before === undefined) return 'created';
  const { deletionTimestamp, finalizers } = after.metadata ?? { finalizers: [] };
  if (deletionTimestamp === undefined) return 'updated';
  if (finalizers.length === 0) return 'archived';
  return before.metadata?.deletionTimestamp === undefined ? 'deleted' : 'updated';
}

/** Adds the entry of the audit log for one object that the batch writes. `after` is what was asked for: with new secrets, which the entry does not show. */
export function recordWrite<M extends StoredObject>(
  batch: WriteBatch,
  { origin }: { readonly origin: AuditOrigin },
  { name, schema, secretPaths }: Pick<ObjectType<M>, 'name' | 'schema' | 'secretPaths'>,
  newId: () => string,
  before: M | undefined,
  after: M,
): void {
  const changes = diffMessages(schema, before, after, { secretPaths });
  const event = { kind: name, objectId: after.id, objectName: after.metadata?.name ?? '', changes, outcome: outcomeOf(before, after) };
  batch.add(auditPart, auditRow(newId(), origin, event));
}
