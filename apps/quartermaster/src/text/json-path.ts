import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What lies at a path of field names; undefined when there is nothing. */
export function valueAt(json: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = json;
  for (const name of path.split('.')) {
    if (!isJsonObject(value)) return undefined;
    value = value[name];
  }
  return value;
}

/** The text at a path; empty when there is none. */
export function textAt(json: JsonObject, path: string): string {
  const value = valueAt(json, path);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

export function listAt(json: JsonObject, path: string): readonly JsonValue[] {
  const value = valueAt(json, path);
  return Array.isArray(value) ? value : [];
}

export function entriesAt(json: JsonObject, path: string): readonly (readonly [string, JsonValue])[] {
  const value = valueAt(json, path);
  return isJsonObject(value) ? Object.entries(value) : [];
}

/** An object of the fields that have a value. */
export function presentFields(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
}
