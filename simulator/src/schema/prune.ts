import { embeddedFields, isEmbedded } from './crd-schema.ts';
import { isArray, isObject, type Json, type JsonObject, objectOf } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

export interface Pruned {
  readonly object: JsonObject;
  /** Paths of what was taken away, sorted: `spec.items[0].colour`. */
  readonly unknown: readonly string[];
}

/** The object without the fields that its schema does not know, unless the schema keeps unknown ones there. */
export function prune(schema: SchemaNode, object: JsonObject): Pruned {
  const unknown: string[] = [];
  const kept = pruneValue(schema, object, '', unknown);
  return { object: isObject(kept) ? kept : object, unknown: unknown.sort() };
}

function pruneValue(schema: SchemaNode | undefined, value: Json, path: string, unknown: string[]): Json {
  // Below something unknown that is kept, everything is.
  if (schema === undefined) return value;
  if (isArray(value)) {
    return schema.items === undefined ? value : value.map((item, index) => pruneValue(schema.items, item, `${path}[${index}]`, unknown));
  }
  if (!isObject(value)) return value;
  const properties = isEmbedded(schema) ? { ...schema.properties, ...embeddedFields() } : (schema.properties ?? {});
  const keepsUnknown =
    schema.preserveUnknown === true || (schema.type === 'any' && schema.properties === undefined && schema.rules === undefined);
  const kept = Object.entries(value).flatMap(([name, child]): [string, Json][] => {
    const below = path === '' ? name : `${path}.${name}`;
    const known = Object.hasOwn(properties, name) ? properties[name] : schema.additional;
    if (known !== undefined || keepsUnknown) return [[name, pruneValue(known, child, below, unknown)]];
    unknown.push(below);
    return [];
  });
  return objectOf(kept);
}
