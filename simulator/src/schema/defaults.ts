import { embeddedFields, isEmbedded } from './crd-schema.ts';
import { field, isArray, isObject, type Json, type JsonObject, objectOf } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

/**
 * A custom resource with the defaults of its schema. A null where none is allowed counts as absent; one that is allowed stays,
 * default or not. After a server-side apply the server keeps even a null that has no default (`keepNulls`): it has emptied
 * a field that it should have removed, and validation refuses it.
 */
export function applyDefaults(schema: SchemaNode, object: JsonObject, options: { readonly keepNulls?: boolean } = {}): JsonObject {
  const { apiVersion, kind, metadata, ...own } = schema.properties ?? {};
  const filled = fill({ ...schema, properties: own }, object, options.keepNulls ?? false);
  return isObject(filled) ? filled : object;
}

function fill(schema: SchemaNode | undefined, value: Json, keepNulls: boolean): Json {
  if (schema === undefined) return value;
  if (isArray(value)) return schema.items === undefined ? value : value.map((item) => fill(schema.items, item, keepNulls));
  if (!isObject(value)) return value;
  const properties = isEmbedded(schema) ? without(schema.properties ?? {}, embeddedFields()) : (schema.properties ?? {});
  const kept = Object.entries(value).flatMap(([name, child]): [string, Json][] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : schema.additional;
    if (known === undefined) return [[name, child]];
    const isDropped = child === null && known.nullable !== true && (!keepNulls || known.default !== undefined);
    return isDropped ? [] : [[name, fill(known, child, keepNulls)]];
  });
  const present = new Set(kept.map(([name]) => name));
  const added = Object.entries(properties).flatMap(([name, child]): [string, Json][] => {
    return child.default === undefined || present.has(name) ? [] : [[name, fill(child, child.default as Json, keepNulls)]];
  });
  return objectOf([...kept, ...added]);
}

function without<T>(record: Readonly<Record<string, T>>, other: Readonly<Record<string, unknown>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => field(other as JsonObject, key) === undefined));
}
