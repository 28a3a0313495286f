import type { Tone } from '@quartermaster/api/states';
import type { AuditEntry, FieldChange } from '../api/audit-entry.ts';
import { countOf } from '../model/amounts.ts';

// what became of the object -> in words
const outcomes: Readonly<Record<string, { readonly tone: Tone; readonly word: string }>> = {
  created: { tone: 'good', word: 'created' },
  updated: { tone: 'allocated', word: 'changed' },
  deleted: { tone: 'held', word: 'marked for deletion' },
  archived: { tone: 'held', word: 'deleted' },
  revealed: { tone: 'held', word: 'secrets opened' },
};

/** What became of the object, or that nothing did. */
export function outcomeWords({ outcome }: AuditEntry): { readonly tone: Tone; readonly word: string } {
  return outcomes[outcome] ?? { tone: 'failed', word: `refused: ${outcome.replaceAll('_', ' ')}` };
}

/** `Update`, `ClaimHosts`: the method without where it is. */
export const methodWord = ({ method }: AuditEntry): string => method.slice(method.lastIndexOf('/') + 1);

/** One side of a change as a person reads it: text without its quotes, nothing as nothing. */
export function valueWords(json: string): string {
  if (json === '') return 'nothing';
  try {
    const value: unknown = JSON.parse(json);
    if (value === '<redacted>') return 'a secret';
    return typeof value === 'string' ? value : json;
  } catch {
    return json;
  }
}

/** `spec.rack: r1 → r2`; of a new value only what it is. */
export function changeWords({ path, before, after }: FieldChange): string {
  const words = (json: string): string => withoutField(valueWords(json), path);
  return before === '' ? `${path}: ${words(after)}` : `${path}: ${words(before)} → ${words(after)}`;
}

/** The values of an enum begin with what the field says already: of `status.state`, `HOST_STATE_READY` is `ready`. */
function withoutField(words: string, path: string): string {
  if (!/^[A-Z][A-Z0-9_]+$/.test(words)) return words;
  const field = `${path.slice(path.lastIndexOf('.') + 1).toUpperCase()}_`;
  const at = words.lastIndexOf(field);
  return at === -1 ? words : words.slice(at + field.length).toLowerCase();
}

/** What changed, in one line: the first of many, and how many more. */
export function changesLine({ changes, outcome }: AuditEntry): string {
  const [first, ...others] = changes;
  if (outcome === 'created') return countOf(changes.length, 'field');
  if (first === undefined) return '';
  return others.length === 0 ? changeWords(first) : `${changeWords(first)}, and ${countOf(others.length, 'more field')}`;
}
