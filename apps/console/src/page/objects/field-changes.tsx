import type { FieldChange } from '../api/audit-entry.ts';

/** What a write changed: each field with what it was and what it became. */
export function FieldChanges({ changes }: { readonly changes: readonly FieldChange[] }) {
  if (changes.length === 0) return null;
  return (
    <ul className="changes">
      {changes.map(({ path, before, after }) => (
        <li key={path}>
          <code>{path}</code>
          {before !== '' && <del className="mono">{before}</del>}
          {before !== '' && after !== '' && <span aria-hidden="true">→</span>}
          {after !== '' && <ins className="mono">{after}</ins>}
          {before !== '' && after === '' && <span className="dim">taken out</span>}
        </li>
      ))}
    </ul>
  );
}
