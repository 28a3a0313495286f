import { badRequest } from '../schema/api-status.ts';
import { field, isObject, type Json, type JsonObject, objectOf } from '../schema/json.ts';

/** RFC 7386. The server takes an object only: any other patch would replace the whole target. */
export function applyMergePatch(target: JsonObject, patch: Json): JsonObject {
  if (!isObject(patch)) throw badRequest(patch === null ? 'Invalid JSON Patch' : `error decoding patch: ${notAnObject(patch)}`);
  return mergeObject(target, patch);
}

/** The complaint of the server's JSON decoder about a patch that is no object. */
export function notAnObject(patch: Json): string {
  const type = Array.isArray(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`;
}

function mergeObject(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergeValue(field(target, key), value));
  }
  return objectOf(merged);
}

function mergeValue(target: Json | undefined, patch: Json): Json {
  return isObject(patch) ? mergeObject(isObject(target) ? target : {}, patch) : patch;
}
