import { StatusError } from '@quartermaster/kernel';

/** Nothing that is sent here is deeper, and what is far deeper ends the stack. */
const deepest = 64;

/** JSON as the ecosystem hashes it: keys sorted, no blanks, and what has a meaning in HTML as escapes. Manifests come in whatever form a client writes them. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(sorted(value, deepest)).replaceAll(/[<>&]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);

function sorted(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) throw new StatusError('invalid_argument', `body: must not be nested more than ${deepest} deep`);
  if (Array.isArray(value)) return value.map((each) => sorted(each, depth - 1));
  // A field of any name is a field, and no prototype.
  const result: Record<string, unknown> = Object.create(null);
  for (const [key, each] of Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) result[key] = sorted(each, depth - 1);
  return result;
}
