/*
 * The one text of a manifest that its hash is made of, as the ecosystem's tools write it: keys in order, no lists that are empty where they write null, and `<`, `>` and `&`
 * escaped.
 */

const writtenAs: ReadonlyMap<string, string> = new Map([
  ['quantity', 'size'],
  ['sequenceNumber', 'sequence_number'],
]);
const nullWhereEmpty: ReadonlySet<string> = new Set(['command', 'args', 'env', 'hosts']);
const left: ReadonlySet<string> = new Set(['kind', 'attributes']);

/** Of data as JSON has it, under the names of the JSON or of the messages. What is in this form stays as it is. */
export const canonicalManifest = (data: unknown): string => JSON.stringify(data, canonical).replaceAll(/[<>&]/g, escaped);

function canonical(key: string, value: unknown): unknown {
  const isEmpty = Array.isArray(value) && value.length === 0;
  if (nullWhereEmpty.has(key) && isEmpty) return null;
  if (left.has(key) && (isEmpty || value === 0)) return undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? inOrder(value) : value;
}

function inOrder(fields: object): object {
  const all = new Map<string, unknown>(Object.entries(fields).map(([key, value]) => [writtenAs.get(key) ?? key, value]));
  // Of a service, and nowhere else.
  if (all.has('command')) all.set('credentials', all.get('credentials') ?? null);
  return Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const escaped = (letter: string): string => `\\u00${letter.charCodeAt(0).toString(16)}`;
