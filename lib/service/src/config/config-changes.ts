/** Compares two states of the same settings, key by key. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { ConfigKey } from './config-key.ts';
import type { ConfigDefinition, ConfigValues } from './define-config.ts';
import { Secret } from './secret.ts';

/** The settings whose values differ. */
export function changedKeys(definition: ConfigDefinition, before: ConfigValues, after: ConfigValues): ConfigKey[] {
  return definition.keys.filter((key) => !sameValue(valueAt(before, key.path), valueAt(after, key.path)));
}

/** `base` with the values that `from` has for these keys. */
export function withKeys(base: ConfigValues, from: ConfigValues, keys: readonly ConfigKey[]): ConfigValues {
  return keys.reduce((values, key) => withValue(values, key.path, valueAt(from, key.path)), base);
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, segment) => (isFolder(value) ? value[segment] : undefined), values);
}

function withValue(values: ConfigValues, path: readonly string[], value: unknown): ConfigValues {
  const [segment = '', ...rest] = path;
  const inner = values[segment];
  return { ...values, [segment]: rest.length === 0 ? value : withValue(isFolder(inner) ? inner : {}, rest, value) };
}

const isFolder = (value: unknown): value is ConfigValues => typeof value === 'object' && value !== null;

/** Secrets show nothing to a comparison either, so that all of them would seem equal. */
function sameValue(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(revealed(a), revealed(b));
}

function revealed(value: unknown): unknown {
  if (value instanceof Secret) return { secret: revealed(value.reveal()) };
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revealed(inner)]));
}
