import { field, isArray, isObject, type Json, type JsonObject, objectOf } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * An object of a built-in kind with the fields that the server always has, even when nobody set them: `status: {}` of a pod,
 * `resources: {}` of a container. Custom resources have none.
 */
export function withZeroFields(schema: SchemaNode | undefined, object: JsonObject): JsonObject {
  const filled = fill(schema, object);
  return isObject(filled) ? filled : object;
}

// Objects are never changed in place: a part that two versions of an object share is filled once, and stays shared.
const filled = new WeakMap<object, { readonly schema: SchemaNode; readonly result: Json }>();

function fill(schema: SchemaNode | undefined, value: Json): Json {
  if (schema === undefined || typeof value !== 'object' || value === null) return value;
  const known = filled.get(value);
  if (known?.schema === schema) return known.result;
  const result = isArray(value) ? fillItems(schema, value) : isObject(value) ? fillFields(schema, value) : value;
  filled.set(value, { schema, result });
  return result;
}

function fillItems({ items }: SchemaNode, value: readonly Json[]): Json {
  const result = value.map((item) => fill(items, item));
  return result.every((item, index) => item === value[index]) ? value : result;
}

function fillFields({ properties = {}, additional }: SchemaNode, value: JsonObject): Json {
  const present = Object.entries(value).map(([name, child]): [string, Json] => {
    return [name, fill(Object.hasOwn(properties, name) ? properties[name] : additional, child)];
  });
  const absent = Object.entries(properties).filter(([name, child]) => child.alwaysPresent === true && field(value, name) === undefined);
  if (absent.length === 0 && present.every(([name, child]) => child === value[name])) return value;
  return objectOf([...present, ...absent.map(([name, child]): [string, Json] => [name, zeroOf(child)])]);
}

function zeroOf(schema: SchemaNode): Json {
  const zero = (schema.default as Json | undefined) ?? null;
  return isObject(zero) ? fill(schema, zero) : zero;
}
