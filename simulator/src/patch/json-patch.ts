import { badRequest, unprocessable } from '../schema/api-status.ts';
import { isArray, isObject, type Json, type JsonObject, jsonEqual } from '../schema/json.ts';
import { addAt, type Pointer, parsePointer, removeAt, replaceAt, valueAt } from './json-pointer.ts';

/** The server says this much about an operation that cannot be carried out, and no more. */
const refusal = 'the server rejected our request due to an error in our request';
/** So many operations does the server take in one patch. */
const maxOperations = 10_000;

/**
 * RFC 6902, with the liberties that the server takes: `replace` of a missing field sets it, `copy` of one copies null, and a
 * negative index counts from the end.
 */
export function applyJsonPatch(target: JsonObject, operations: unknown): JsonObject {
  const list = decode(operations);
  let result: Json = target;
  for (const operation of list) {
    const next = apply(result, operation);
    if (next === undefined) throw unprocessable(refusal);
    result = next;
  }
  if (!isObject(result)) throw unprocessable(refusal);
  return result;
}

function decode(operations: unknown): readonly Json[] {
  if (!isArray(operations)) throw undecodable(goType(operations as Json), 'Go value of type []handlers.jsonPatchOp');
  if (operations.length > maxOperations) {
    const rule = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`;
    throw unprocessable(rule);
  }
  for (const operation of operations) {
    if (operation !== null && !isObject(operation)) throw undecodable(goType(operation), 'Go value of type handlers.jsonPatchOp');
    if (operation === null) continue;
    for (const key of ['op', 'path', 'from']) {
      const value = operation[key];
      if (value === undefined || value === null || typeof value === 'string') continue;
      throw undecodable(goType(value), `Go struct field jsonPatchOp.${key} of type string`);
    }
  }
  return operations;
}

/** The document after one operation; undefined when it cannot be carried out. */
function apply(document: Json, operation: Json): Json | undefined {
  if (!isObject(operation) || typeof operation['path'] !== 'string') return undefined;
  const path = parsePointer(operation['path']);
  if (path === undefined) return undefined;
  const value = operation['value'] ?? null;
  switch (operation['op']) {
    case 'add':
      return addAt(document, path, value);
    case 'replace':
      return replaceAt(document, path, value);
    case 'remove':
      return removeAt(document, path);
    case 'test':
      return jsonEqual(valueAt(document, path) ?? null, value) ? document : undefined;
    case 'move':
      return move(document, operation, path);
    case 'copy': {
      const from = typeof operation['from'] === 'string' ? parsePointer(operation['from']) : undefined;
      // The server copies what is not there as null.
      return from === undefined || valueAt(document, from.slice(0, -1)) === undefined
        ? undefined
        : addAt(document, path, valueAt(document, from) ?? null);
    }
    default:
      return undefined;
  }
}

function move(document: Json, operation: JsonObject, path: Pointer): Json | undefined {
  const from = typeof operation['from'] === 'string' ? parsePointer(operation['from']) : undefined;
  const source = from === undefined ? undefined : valueAt(document, from);
  const without = from === undefined ? undefined : removeAt(document, from);
  return source === undefined || without === undefined ? undefined : addAt(without, path, source);
}

function undecodable(found: string, wanted: string) {
  return badRequest(`error decoding patch: json: cannot unmarshal ${found} into ${wanted}`);
}

function goType(value: Json): string {
  if (isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
