import { hidden, Secret } from './config/secret.ts';
import { errorFields } from './error-fields.ts';
import { isSensitiveName, withoutCredentials } from './sensitive.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Deeper values are cut off: a log line is no place for a whole object graph. */
const deepest = 8;
/** Longer lists are cut off. */
const longest = 100;

/**
 * A copy of the value that JSON can hold and that shows no secret: by type (`Secret`), by the name of the field, by the kind of
 * the object (a Kubernetes Secret, an environment variable with a telling name), and by the form of a text. Never throws.
 */
export function redact(value: unknown): unknown {
  return copy(value, 0, new Set());
}

/** The fields of one log line, redacted. */
export function redactFields(fields: Fields): Record<string, unknown> {
  return copyFields(fields, 0, new Set());
}

function copy(value: unknown, depth: number, path: Set<object>): unknown {
  if (typeof value === 'string') return withoutCredentials(value);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  if (value instanceof Secret) return hidden;
  if (path.has(value)) return '[circular]';
  if (depth > deepest) return '[deeper]';
  path.add(value);
  try {
    return copyObject(value, depth, path);
  } catch {
    // A getter or a proxy that throws must not cost the log line.
    return '[unreadable]';
  } finally {
    path.delete(value);
  }
}

function copyObject(value: object, depth: number, path: Set<object>): unknown {
  if (value instanceof Error) return copyFields({ ...errorFields(value) }, depth + 1, path);
  if (Array.isArray(value)) return copyList(value, depth, path);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof URL || value instanceof RegExp) return withoutCredentials(String(value));
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Set) return copyList([...(value as ReadonlySet<unknown>)], depth, path);
  if (value instanceof Map) return copyFields(Object.fromEntries(mapEntries(value)), depth, path);
  if (value instanceof Headers) return copyFields(Object.fromEntries(value.entries()), depth, path);
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy((value as { toJSON(): unknown }).toJSON(), depth + 1, path);
  return copyFields(value as Fields, depth, path);
}

function mapEntries(map: ReadonlyMap<unknown, unknown>): [string, unknown][] {
  return [...map].map(([key, value]) => [key instanceof Secret ? hidden : String(key), value]);
}

function copyList(list: readonly unknown[], depth: number, path: Set<object>): unknown[] {
  const items = list.slice(0, longest).map((item) => copy(item, depth + 1, path));
  return list.length > longest ? [...items, `[${list.length - longest} more]`] : items;
}

function copyFields(fields: Fields, depth: number, path: Set<object>): Record<string, unknown> {
  const secret = kubernetesSecret(fields);
  if (secret !== undefined) return secret;
  const isPair = isSecretPair(fields);
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const isHidden = isSensitiveName(name) || (isPair && name === 'value');
    define(result, name, isHidden ? hide(value) : copy(value, depth + 1, path));
  }
  return result;
}

/** Assigning `__proto__` would change the copy's prototype and drop the field. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** That there is none, and yes or no, is no secret. */
function hide(value: unknown): unknown {
  return value === undefined || value === null || typeof value === 'boolean' ? value : hidden;
}

/** An environment variable of a container, a header as a pair: the name says what the value is. */
function isSecretPair(fields: Fields): boolean {
  return typeof fields['name'] === 'string' && 'value' in fields && isSensitiveName(fields['name']);
}

/** kubectl keeps the whole object as an annotation, so that of a Kubernetes Secret nothing but its name can be shown. */
function kubernetesSecret(fields: Fields): Record<string, unknown> | undefined {
  if (fields['kind'] !== 'Secret' || !('data' in fields || 'stringData' in fields || 'metadata' in fields)) return undefined;
  const { name, namespace } = (fields['metadata'] ?? {}) as { readonly name?: unknown; readonly namespace?: unknown };
  return { kind: 'Secret', name: String(name), namespace: String(namespace), data: hidden };
}
