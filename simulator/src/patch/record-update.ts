import { field, isObject, type JsonObject } from '../schema/json.ts';
import { withZeroFields } from '../schema/zero-fields.ts';
import type { ManagedWrite } from './api.ts';
import { type Comparison, compareObjects } from './compare-objects.ts';
import { FieldSet } from './field-set.ts';
import { decodeManagers, identityOf, isReset, type ManagerEntry, type Managers, withManagers, withoutManagers } from './managed-fields.ts';
import { onlyOwnable, ownableChanges, withoutIdentity } from './ownable-fields.ts';

/**
 * The object as a create, replace or patch leaves it, with managedFields brought up to date: the manager owns what it changed,
 * and the time moves only when it changed something. A client may edit managedFields itself, or clear them with `[]`.
 */
export function recordUpdate(write: ManagedWrite, after: JsonObject): JsonObject {
  const { live } = write;
  const managers = managersBefore(write, after);
  // Once all owners were forgotten, nobody is recorded until the first apply.
  if (managers.size === 0 && live !== undefined && hasUid(live)) return withoutManagers(after);
  return withManagers(after, managersAfterUpdate(write, managers, live ?? {}, after));
}

/** The managers after an update from one state to another. */
export function managersAfterUpdate(write: ManagedWrite, managers: Managers, before: JsonObject, after: JsonObject): Managers {
  const { schema, apiVersion, ownable, subresource, now } = write;
  const [from, to] = [withZeroFields(schema, withoutManagers(before)), withZeroFields(schema, withoutManagers(after))];
  const changes = ownableChanges(compareObjects(schema, from, to), ownable);
  const left = afterChange(managers, undefined, changes);
  const taken = withoutIdentity(onlyOwnable(changes.modified.union(changes.added), ownable));
  if (taken.isEmpty) return left;

  const manager = write.manager === '' ? 'unknown' : write.manager;
  const entry = { manager, operation: 'Update', apiVersion, subresource } as const;
  const identity = identityOf(entry);
  const fields = taken.union(left.get(identity)?.fields ?? FieldSet.empty);
  return left.set(identity, { ...entry, time: now, fields });
}

/** The owners that the written object names, unless it comes through a subresource or names none that make sense. */
function managersBefore({ live, subresource }: ManagedWrite, after: JsonObject): Managers {
  const stored = decodeManagers(live) ?? new Map();
  if (subresource !== undefined) return stored;
  if (isReset(after)) return new Map();
  const given = decodeManagers(after);
  return given === undefined || given.size === 0 ? stored : given;
}

function hasUid(object: JsonObject): boolean {
  const metadata = field(object, 'metadata');
  const uid = isObject(metadata) ? field(metadata, 'uid') : undefined;
  return typeof uid === 'string' && uid !== '';
}

/** The managers after a change: the others lose what it set and what it removed, and those that own nothing are gone. */
export function afterChange(managers: Managers, self: string | undefined, changes: Comparison): Map<string, ManagerEntry> {
  const lost = changes.modified.union(changes.added);
  const left = new Map<string, ManagerEntry>();
  for (const [identity, entry] of managers) {
    const fields = identity === self ? entry.fields : entry.fields.difference(lost).difference(changes.removed);
    if (!fields.isEmpty) left.set(identity, { ...entry, fields });
  }
  return left;
}
