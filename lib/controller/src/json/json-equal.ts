/** Whether two JSON values are the same. A field that is undefined counts as absent, as it does once written. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => jsonEqual(item, b[i]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  for (const key of Object.keys(a)) if (!jsonEqual(a[key], ownField(b, key))) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && ownField(a, key) === undefined) return false;
  return true;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Never what the prototype has: an annotation may be named `constructor`. */
export function ownField(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
