import { formatQuantity, parseQuantity } from '@quartermaster/kernel';
import { isArray, isObject, type Json, type JsonObject, objectOf } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

export type Decoded =
  | {
      readonly object: JsonObject;
      /** Paths of fields that the kind does not have, in the order of the document; they are not in the object. */
      readonly unknown: readonly string[];
    }
  /** Which field has a value of the wrong type. */
  | { readonly mismatch: string };

/**
 * Reads an object of a built-in kind as the server reads it into its own types: unknown fields are left out, null is the same as
 * absent, empty lists and maps disappear unless they are required, quantities and times are written one way.
 */
export function decodeBuiltIn(schema: SchemaNode, object: JsonObject): Decoded {
  const unknown: string[] = [];
  try {
    const decoded = decode(schema, object, { path: '', unknown });
    return { object: isObject(decoded) ? decoded : {}, unknown };
  } catch (error) {
    if (error instanceof Mismatch) return { mismatch: error.message };
    throw error;
  }
}

/** The Status message about an object that cannot be decoded: a wrong type, or unknown fields where none are allowed. */
export function undecodableMessage(kind: string, version: string, problem: string | readonly string[]): string {
  const why = typeof problem === 'string' ? problem : `strict decoding error: ${problem.map(unknownFieldText).join(', ')}`;
  return `${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`;
}

/** How warnings and errors name an unknown field. */
export function unknownFieldText(path: string): string {
  return `unknown field "${path}"`;
}

class Mismatch extends Error {}

interface Place {
  /** Names of fields from the top, with indexes. */
  readonly path: string;
  readonly unknown: string[];
}

function decode(schema: SchemaNode, value: Json, place: Place): Json {
  switch (schema.type) {
    case 'object':
      if (!isObject(value)) throw mismatch(schema, value, place);
      return schema.properties === undefined && schema.additional !== undefined
        ? decodeMap(schema.additional, value, place)
        : decodeStruct(schema, value, place);
    case 'array':
      if (!isArray(value)) throw mismatch(schema, value, place);
      return decodeItems(schema.items, value, place);
    case 'string':
      if (typeof value !== 'string') throw mismatch(schema, value, place);
      return decodeText(schema, value);
    case 'boolean':
      if (typeof value !== 'boolean') throw mismatch(schema, value, place);
      return value;
    case 'integer':
      if (typeof value !== 'number' || !fits(schema, value)) throw mismatch(schema, value, place);
      return value;
    case 'number':
      if (typeof value !== 'number') throw mismatch(schema, value, place);
      return value;
    case 'int-or-string':
      if (typeof value === 'string' || (typeof value === 'number' && fits(int32, value))) return value;
      throw mismatch(schema, value, place);
    case 'quantity':
      return decodeQuantity(value);
    case 'any':
      return value;
  }
}

const int32: SchemaNode = { type: 'integer', rules: { format: 'int32' } };

function decodeStruct(schema: SchemaNode, value: JsonObject, place: Place): Json {
  const { properties = {}, required = [] } = schema;
  const fields = Object.entries(value).flatMap(([key, child]): [string, Json][] => {
    const path = place.path === '' ? key : `${place.path}.${key}`;
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known === undefined) {
      place.unknown.push(path);
      return [];
    }
    if (child === null) return [];
    const decoded = decode(known, child, { path, unknown: place.unknown });
    return isEmptyCollection(known, decoded) && !required.includes(key) ? [] : [[key, decoded]];
  });
  return shared(value, fields);
}

function decodeMap(values: SchemaNode, value: JsonObject, place: Place): Json {
  const entries = Object.entries(value).map(([key, child]): [string, Json] => {
    return [key, decodeItem(values, child, { ...place, path: `${place.path}.${key}` })];
  });
  return shared(value, entries);
}

function decodeItems(items: SchemaNode | undefined, value: readonly Json[], place: Place): Json {
  const decoded = value.map((item, index) => decodeItem(items, item, { ...place, path: `${place.path}[${index}]` }));
  return decoded.every((item, index) => item === value[index]) ? value : decoded;
}

/** The object itself where decoding changed nothing, so that what a write leaves alone stays the same object. */
function shared(value: JsonObject, decoded: readonly (readonly [string, Json])[]): Json {
  const isSame = decoded.length === Object.keys(value).length && decoded.every(([key, child]) => child === value[key]);
  return isSame ? value : objectOf(decoded);
}

/** In a list or a map there is no absence: null is the zero value. */
function decodeItem(schema: SchemaNode | undefined, value: Json, place: Place): Json {
  if (schema === undefined) return value;
  if (value !== null) return decode(schema, value, place);
  const zeros: Partial<Record<SchemaNode['type'], Json>> = { string: '', integer: 0, number: 0, boolean: false, object: {}, quantity: '0' };
  return zeros[schema.type] ?? null;
}

function decodeText({ rules, name = '' }: SchemaNode, text: string): Json {
  if (rules?.['format'] === 'byte') {
    const compact = text.replaceAll(/[\r\n]/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 !== 0) throw new Mismatch('illegal base64 data');
    return compact;
  }
  if (rules?.['format'] !== 'date-time') return text;
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new Mismatch(`parsing time ${JSON.stringify(text)}: must be as RFC 3339 has it`);
  const [seconds = ''] = new Date(time).toISOString().split('.');
  if (!name.endsWith('MicroTime')) return `${seconds}Z`;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  return `${seconds}.${fraction.padEnd(6, '0').slice(0, 6)}Z`;
}

function decodeQuantity(value: Json): Json {
  try {
    if (typeof value === 'string' || typeof value === 'number') return formatQuantity(parseQuantity(String(value).trim()));
  } catch {
    // Falls through to the server's one complaint about quantities.
  }
  throw new Mismatch(String.raw`quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`);
}

function isEmptyCollection(schema: SchemaNode, value: Json): boolean {
  if (isArray(value)) return value.length === 0;
  return schema.properties === undefined && schema.additional !== undefined && isObject(value) && Object.keys(value).length === 0;
}

function fits({ rules }: SchemaNode, value: number): boolean {
  const limit = rules?.['format'] === 'int32' ? 2 ** 31 : 2 ** 63;
  return Number.isInteger(value) && value < limit && value >= -limit;
}

const mismatch = ({ type }: SchemaNode, value: Json, { path }: Place): Mismatch =>
  new Mismatch(`json: cannot unmarshal ${isArray(value) ? 'array' : typeof value} into field ${path} of type ${type}`);
