import { embeddedFields, isEmbedded } from './crd-schema.ts';
import { field, isArray, isObject, type Json, type JsonObject, objectOf } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * A custom resource with the defaults of its schema. A null where none is allowed counts as absent; one that is allowed
 * stays, default or not.
 */
export function applyDefaults(schema: SchemaNode, object: JsonObject): JsonObject {
  const { apiVersion, kind, metadata, ...own } = schema.properties ?? {};
  const filled = fill({ ...schema, properties: own }, object);
  return isObject(filled) ? filled : object;
}

function fill(schema: SchemaNode | undefined, value: Json): Json {
  if (schema === undefined) return value;
  if (isArray(value)) return schema.items === undefined ? value : value.map((item) => fill(schema.items, item));
  if (!isObject(value)) return value;
  const properties = isEmbedded(schema) ? without(schema.properties ?? {}, embeddedFields()) : (schema.properties ?? {});
  const kept = Object.entries(value).flatMap(([name, child]): [string, Json][] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : schema.additional;
    if (known === undefined) return [[name, child]];
    return child === null && known.nullable !== true ? [] : [[name, fill(known, child)]];
  });
  const present = new Set(kept.map(([name]) => name));
  const added = Object.entries(properties).flatMap(([name, child]): [string, Json][] => {
    return child.default === undefined || present.has(name) ? [] : [[name, fill(child, child.default as Json)]];
  });
  return objectOf([...kept, ...added]);
}

function without<T>(record: Readonly<Record<string, T>>, other: Readonly<Record<string, unknown>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => field(other as JsonObject, key) === undefined));
}
