import { badRequest, unprocessable } from '../schema/api-status.ts';
import { field, isArray, isObject, type Json, type JsonObject, jsonEqual, objectOf } from '../schema/json.ts';

/** The server says this much about an operation that cannot be carried out, and no more. */
const refusal = 'the server rejected our request due to an error in our request';
const maxOperations = 10_000;

/** The tokens of an RFC 6901 pointer. */
type Pointer = readonly string[];

/**
 * RFC 6902, with the liberties that the server takes: `replace` of a missing field sets it, `copy` of one copies null, and a
 * negative index counts from the end.
 */
export function applyJsonPatch(target: JsonObject, operations: unknown): JsonObject {
  if (!isArray(operations)) throw badRequest('error decoding patch: a JSON patch must be an array of operations');
  if (operations.length > maxOperations)
    throw unprocessable(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`);
  const result = operations.reduce<Json | undefined>((document, operation) => {
    if (document === undefined || operation === null) return undefined;
    if (!isObject(operation)) throw badRequest('error decoding patch: an operation must be an object');
    for (const key of ['op', 'path', 'from'])
      if (typeof (operation[key] ?? '') !== 'string') throw badRequest(`error decoding patch: ${key} must be a string`);
    return apply(document, operation);
  }, target);
  if (!isObject(result)) throw unprocessable(refusal);
  return result;
}

/** The document after one operation; undefined when it cannot be carried out. */
function apply(document: Json, operation: JsonObject): Json | undefined {
  const [path, from] = [pointerOf(operation['path']), pointerOf(operation['from'])];
  const value = operation['value'] ?? null;
  if (path === undefined) return undefined;
  switch (operation['op']) {
    case 'add':
      return change(document, path, value, inserted);
    case 'replace':
      return change(document, path, value, replaced);
    case 'remove':
      return change(document, path, undefined, replaced);
    case 'test':
      return jsonEqual(valueAt(document, path) ?? null, value) ? document : undefined;
    case 'move': {
      const source = from === undefined ? undefined : valueAt(document, from);
      const without = from === undefined ? undefined : change(document, from, undefined, replaced);
      return source === undefined || without === undefined ? undefined : change(without, path, source, inserted);
    }
    case 'copy':
      if (from === undefined || valueAt(document, from.slice(0, -1)) === undefined) return undefined;
      return change(document, path, valueAt(document, from) ?? null, inserted);
    default:
      return undefined;
  }
}

function pointerOf(text: Json | undefined): Pointer | undefined {
  if (text === '') return [];
  if (typeof text !== 'string' || !text.startsWith('/')) return undefined;
  const tokens = text.slice(1).split('/');
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function valueAt(document: Json, [token, ...rest]: Pointer): Json | undefined {
  if (token === undefined) return document;
  const child = childOf(document, token);
  return child === undefined ? undefined : valueAt(child, rest);
}

type Parent = JsonObject | readonly Json[];
type Edit = (parent: Parent, token: string, value: Json | undefined) => Json | undefined;

/** The document with the value that the path names edited; undefined where its parent does not exist. */
function change(document: Json, [token, ...rest]: Pointer, value: Json | undefined, edit: Edit): Json | undefined {
  if (token === undefined) return value;
  if (!isArray(document) && !isObject(document)) return undefined;
  if (rest.length === 0) return edit(document, token, value);
  const child = childOf(document, token);
  const changed = child === undefined ? undefined : change(child, rest, value, edit);
  return changed === undefined ? undefined : replaced(document, token, changed);
}

const inserted: Edit = (parent, token, value = null) => {
  if (isObject(parent)) return replaced(parent, token, value);
  const index = token === '-' ? parent.length : indexOf(token, parent.length + 1);
  return index === undefined ? undefined : parent.toSpliced(index, 0, value);
};

/** Removes where the value is undefined. */
const replaced: Edit = (parent, token, value) => {
  if (isObject(parent)) {
    if (value === undefined && !Object.hasOwn(parent, token)) return undefined;
    const entries = Object.entries(parent);
    return value === undefined ? objectOf(entries.filter(([key]) => key !== token)) : objectOf([...entries, [token, value]]);
  }
  const index = indexOf(token, parent.length);
  if (index === undefined) return undefined;
  return value === undefined ? parent.toSpliced(index, 1) : parent.with(index, value);
};

function childOf(document: Json, token: string): Json | undefined {
  if (isObject(document)) return field(document, token);
  const index = isArray(document) ? indexOf(token, document.length) : undefined;
  return index === undefined || !isArray(document) ? undefined : document[index];
}

/** An index below `limit`; negative ones count from the end. */
function indexOf(token: string, limit: number): number | undefined {
  if (!/^-?\d+$/.test(token)) return undefined;
  const index = Number(token) < 0 ? Number(token) + limit : Number(token);
  return index >= 0 && index < limit ? index : undefined;
}
