import { isJsonObject, type JsonObject, jsonEqual, ownField } from './json-equal.ts';

/**
 * The JSON merge patch (RFC 7386) that turns `before` into `after`; empty when they are equal. Lists are replaced as a whole. The
 * format cannot store a null, so a null in `after` means absent.
 */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const fields: [string, unknown][] = [];
  for (const key of Object.keys(before)) {
    if (before[key] !== undefined && (ownField(after, key) ?? undefined) === undefined) fields.push([key, null]);
  }
  for (const key of Object.keys(after)) {
    const to = after[key];
    const from = ownField(before, key);
    if (to === undefined || to === null || jsonEqual(from, to)) continue;
    fields.push([key, isJsonObject(to) ? mergePatch(isJsonObject(from) ? from : {}, to) : to]);
  }
  // fromEntries defines fields, so that one named __proto__ is a field like any other.
  return Object.fromEntries(fields);
}
