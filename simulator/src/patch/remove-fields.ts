import { type Json, type JsonObject, objectOf } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { asList, asMap, atomOf, itemElement } from './atoms.ts';
import { type FieldSet, fieldElement } from './field-set.ts';

/** The object without these fields. A part that loses everything becomes null, as an emptied list does on the server. */
export function removeFields(schema: SchemaNode, object: JsonObject, fields: FieldSet): JsonObject {
  return asMap(remove(schema, object, fields)) ?? {};
}

function remove(schema: SchemaNode | undefined, value: Json, fields: FieldSet): Json {
  const atom = atomOf(schema, value);
  if (atom.kind === 'leaf') return asList(value) === undefined && asMap(value) === undefined ? value : null;
  if (atom.kind === 'list') {
    const kept = (asList(value) ?? []).flatMap((item) => {
      const element = itemElement(atom, item);
      if (element === undefined) return [item];
      if (fields.hasMember(element)) return [];
      const below = fields.below(element);
      return [below.isEmpty ? item : remove(atom.items, item, below)];
    });
    return kept.length === 0 ? null : kept;
  }
  const kept = Object.entries(asMap(value) ?? {}).flatMap(([name, child]): [string, Json][] => {
    const element = fieldElement(name);
    if (fields.hasMember(element)) return [];
    const below = fields.below(element);
    return [[name, below.isEmpty ? child : remove(atom.childOf(name), child, below)]];
  });
  return kept.length === 0 ? null : objectOf(kept);
}
