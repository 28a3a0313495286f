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

function fill(schema: SchemaNode | undefined, value: Json): Json {
  if (schema === undefined) return value;
  if (isArray(value)) return schema.items === undefined ? value : value.map((item) => fill(schema.items, item));
  if (!isObject(value)) return value;
  const { properties = {}, additional } = schema;
  const present = Object.entries(value).map(([name, child]): [string, Json] => {
    return [name, fill(Object.hasOwn(properties, name) ? properties[name] : additional, child)];
  });
  const absent = Object.entries(properties).filter(([name, child]) => child.alwaysPresent === true && field(value, name) === undefined);
  return objectOf([...present, ...absent.map(([name, child]): [string, Json] => [name, zeroOf(child)])]);
}

function zeroOf(schema: SchemaNode): Json {
  const zero = (schema.default as Json | undefined) ?? null;
  return isObject(zero) ? fill(schema, zero) : zero;
}
