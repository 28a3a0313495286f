import { type JsonObject, jsonEqual } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import type { ApplyConflict, ApplyOutcome, ManagedWrite } from './api.ts';
import { isNamedField, schemaBelow } from './atoms.ts';
import { checkApplied } from './check-applied.ts';
import { type Comparison, compareObjects } from './compare-objects.ts';
import { type FieldPath, FieldSet, pathText } from './field-set.ts';
import { decodeManagers, identityOf, type ManagerEntry, type Managers, withManagers, withoutManagers } from './managed-fields.ts';
import { mergeApplied } from './merge-applied.ts';
import { onlyOwnable, ownableChanges, withoutIdentity } from './ownable-fields.ts';
import { afterChange, managersAfterUpdate } from './record-update.ts';
import { removeFields } from './remove-fields.ts';
import { toFieldSet } from './to-field-set.ts';

type Attempt = { readonly object: JsonObject } | { readonly held: ReadonlyMap<ManagerEntry, FieldSet> };

/**
 * Lays the applied configuration over the live object, takes away what this manager applied before and nobody else owns, and
 * brings managedFields up to date. Without `force`, a field that another manager owns with another value is a conflict.
 * The object comes back without defaults: they are the caller's, and nobody owns them.
 */
export function serverSideApply(write: ManagedWrite, applied: JsonObject, options: { readonly force: boolean }): ApplyOutcome {
  checkApplied(write.schema, applied);
  const attempt = apply(write, applied, options.force);
  return 'object' in attempt ? attempt : conflictsOf(attempt.held);
}

function apply(write: ManagedWrite, applied: JsonObject, force: boolean): Attempt {
  const { schema, ownable, now } = write;
  const live = withoutManagers(write.live ?? {});
  const before = managersBefore(write);
  const entry = applierOf(write);
  const self = identityOf(entry);
  const previous = before.get(self);

  const fields = onlyOwnable(toFieldSet(schema, applied), ownable);
  const managers = new Map(before).set(self, { ...entry, time: previous?.time, fields });
  const merged = mergeApplied(schema, live, applied);
  const object = previous === undefined ? merged : withoutAbandoned(schema, merged, previous.fields, managers);

  const changes = ownableChanges(compareObjects(schema, live, object), ownable);
  const held = ownedByOthers(managers, self, changes);
  if (!force && held.size > 0) return { held };

  const after = afterChange(managers, self, changes);
  const own = after.get(self);
  if (own !== undefined) {
    const stripped = withoutIdentity(own.fields);
    const isChanged = !jsonEqual(live, object);
    if (stripped.isEmpty) after.delete(self);
    else after.set(self, { ...own, ...(isChanged ? { time: now } : {}), fields: stripped });
  }
  return { object: withManagers(object, after) };
}

/** The merged object without what this manager applied last time, does not apply now and nobody else owns. */
function withoutAbandoned(schema: SchemaNode, merged: JsonObject, last: FieldSet, managers: Managers): JsonObject {
  const named = (set: FieldSet) => withNamedParents(schema, set);
  const all = named(toFieldSet(schema, merged));
  const owned = [...managers.values()].reduce((set, { fields }) => set.union(fields), FieldSet.empty);
  const withoutLast = removeFields(schema, merged, named(last));
  const kept = named(toFieldSet(schema, withoutLast)).union(named(owned));
  const withOwned = removeFields(schema, merged, all.difference(kept));
  const abandoned = all.difference(named(toFieldSet(schema, withOwned))).intersection(named(last));
  return removeFields(schema, merged, abandoned);
}

/** A field with a name is in the set as soon as something below it is: it goes when all of it goes. */
function withNamedParents(schema: SchemaNode, set: FieldSet): FieldSet {
  const isParent = (path: FieldPath) => isNamedField(path.slice(0, -1).reduce(schemaBelow, schema), path.at(-1) ?? '');
  return set.withParents(isParent);
}

/** The first apply to an object whose owners nobody recorded finds all of it owned by a manager of that name. */
function managersBefore(write: ManagedWrite): Managers {
  const managers = decodeManagers(write.live) ?? new Map<string, ManagerEntry>();
  if (managers.size > 0 || write.live === undefined) return managers;
  return managersAfterUpdate({ ...write, manager: 'before-first-apply' }, managers, {}, write.live);
}

function applierOf({ manager, apiVersion, subresource }: ManagedWrite): Omit<ManagerEntry, 'fields' | 'time'> {
  return { manager, operation: 'Apply', apiVersion, subresource };
}

/** What other managers own of the fields that a change sets; those that own none of them are left out. */
function ownedByOthers(managers: Managers, self: string | undefined, changes: Comparison): Map<ManagerEntry, FieldSet> {
  const set = changes.modified.union(changes.added);
  const owned = new Map<ManagerEntry, FieldSet>();
  for (const [identity, entry] of managers) {
    const shared = entry.fields.intersection(set);
    if (identity !== self && !shared.isEmpty) owned.set(entry, shared);
  }
  return owned;
}

/** Conflicts in the words of the server, by manager and field. */
function conflictsOf(held: ReadonlyMap<ManagerEntry, FieldSet>): Extract<ApplyOutcome, { conflicts: unknown }> {
  const byManager = [...held].sort(([a], [b]) => (identityOf(a) < identityOf(b) ? -1 : 1));
  const conflicts = byManager.flatMap(([entry, fields]) =>
    [...fields.paths()].map(
      (path): ApplyConflict => ({
        field: pathText(path),
        manager: entry.manager,
        message: `conflict with ${managerText(entry)}`,
      }),
    ),
  );
  return { conflicts, message: messageOf(byManager, conflicts) };
}

function messageOf(held: readonly (readonly [ManagerEntry, FieldSet])[], conflicts: readonly ApplyConflict[]): string {
  const [only] = conflicts;
  if (only !== undefined && conflicts.length === 1) return `Apply failed with 1 conflict: ${only.message}: ${only.field}`;
  const lines = held.flatMap(([entry, fields]) => {
    const paths = [...fields.paths()].map((path) => `- ${pathText(path)}`);
    return paths.length === 0 ? [] : [`conflicts with ${managerText(entry)}:`, ...paths];
  });
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function managerText({ manager, subresource, operation, apiVersion }: ManagerEntry): string {
  const name =
    subresource === undefined ? JSON.stringify(manager) : `${JSON.stringify(manager)} with subresource ${JSON.stringify(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
