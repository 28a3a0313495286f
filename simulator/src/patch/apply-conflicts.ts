import type { ApplyConflict, ApplyOutcome } from './api.ts';
import { type FieldSet, pathText } from './field-set.ts';
import { identityOf, type ManagerEntry } from './managed-fields.ts';

/** Conflicts in the words of the server, by manager and field. */
export function conflictsOf(held: ReadonlyMap<ManagerEntry, FieldSet>): Extract<ApplyOutcome, { conflicts: unknown }> {
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
