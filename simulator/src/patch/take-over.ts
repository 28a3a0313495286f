import type { Comparison } from './compare-objects.ts';
import type { FieldSet } from './field-set.ts';
import type { ManagerEntry, Managers } from './managed-fields.ts';

/** What other managers own of the fields that a change sets; those that own none of them are left out. */
export function ownedByOthers(managers: Managers, self: string | undefined, changes: Comparison): Map<ManagerEntry, FieldSet> {
  const set = changes.modified.union(changes.added);
  const owned = new Map<ManagerEntry, FieldSet>();
  for (const [identity, entry] of managers) {
    const shared = entry.fields.intersection(set);
    if (identity !== self && !shared.isEmpty) owned.set(entry, shared);
  }
  return owned;
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
