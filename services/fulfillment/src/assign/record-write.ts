import type { WriteBatch } from '@quartermaster/store';
import { auditPart, auditRow } from '../audit/audit-part.ts';
import { diffMessages } from '../audit/message-diff.ts';
import { outcomeOf } from '../audit/outcome-of.ts';
import type { AnyObject, Kind } from '../kinds/kind.ts';
import type { Call } from '../objects/call.ts';

/** Adds the entry of the audit log for one object that the batch writes. `after` is what was asked for: with new secrets, which the entry does not show. */
export function recordWrite<M extends AnyObject>(
  batch: WriteBatch,
  call: Call,
  { name, store }: Kind<M>,
  newId: () => string,
  before: M | undefined,
  after: M,
): void {
  const { schema, secretPaths } = store.type;
  const changes = diffMessages(schema, before, after, { secretPaths });
  const event = { kind: name, objectId: after.id, objectName: after.metadata?.name ?? '', changes, outcome: outcomeOf(before, after) };
  batch.add(auditPart, auditRow(newId(), call.origin, event));
}
