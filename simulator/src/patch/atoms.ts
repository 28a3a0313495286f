/** How server-side apply sees a value under its schema: as a leaf, or as something whose parts have owners of their own. */
import { field, isArray, isObject, type Json } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { keyElement, type PathElement, valueElement } from './field-set.ts';

export type Atom =
  | { readonly kind: 'leaf' }
  | { readonly kind: 'map'; readonly childOf: (name: string) => SchemaNode | undefined; readonly isField: (name: string) => boolean }
  /** A list whose items are told apart by what they hold. */
  | { readonly kind: 'list'; readonly items: SchemaNode | undefined; readonly keys: readonly string[] };

const leaf: Atom = { kind: 'leaf' };

/** Undefined as schema: nothing is known, so the value itself says what it is. */
export function atomOf(schema: SchemaNode | undefined, value: Json | undefined): Atom {
  switch (schema?.type) {
    case undefined:
    case 'any':
      return isObject(value) || value === null ? { kind: 'map', childOf: () => undefined, isField: () => false } : leaf;
    case 'object':
      return schema.mapType === 'atomic' ? leaf : mapOf(schema);
    case 'array':
      if (schema.listType === 'set') return { kind: 'list', items: schema.items, keys: [] };
      return schema.listType === 'map' ? { kind: 'list', items: schema.items, keys: schema.listMapKeys ?? [] } : leaf;
    default:
      return leaf;
  }
}

function mapOf(schema: SchemaNode): Atom {
  const { properties = {}, additional } = schema;
  const isField = (name: string) => Object.hasOwn(properties, name);
  return { kind: 'map', childOf: (name) => (isField(name) ? properties[name] : additional), isField };
}

/** Whether a value, by its JSON type, is what the schema expects of a value with parts. */
export const asMap = (value: Json | undefined) => (isObject(value) ? value : undefined);
export const asList = (value: Json | undefined) => (isArray(value) ? value : undefined);

/** The schema of what an element names below a value of this schema. */
export function schemaBelow(schema: SchemaNode | undefined, element: PathElement): SchemaNode | undefined {
  if (element.startsWith('f:')) {
    const name = element.slice(2);
    return schema?.properties !== undefined && Object.hasOwn(schema.properties, name) ? schema.properties[name] : schema?.additional;
  }
  return schema?.items;
}

/** Whether the element is a field that the schema knows by name, unlike the key of a map. */
export function isNamedField(schema: SchemaNode | undefined, element: PathElement): boolean {
  return element.startsWith('f:') && schema?.properties !== undefined && Object.hasOwn(schema.properties, element.slice(2));
}

/**
 * What identifies an item of a list; undefined when nothing does. A key that is missing has its default: a port without
 * protocol is the TCP one.
 */
export function itemElement(list: Extract<Atom, { kind: 'list' }>, item: Json): PathElement | undefined {
  if (list.keys.length === 0) return isObject(item) || isArray(item) || item === null ? undefined : valueElement(item);
  if (!isObject(item)) return undefined;
  const keys = list.keys.flatMap((name): [string, Json][] => {
    const value = field(item, name) ?? (list.items?.properties?.[name]?.default as Json | undefined);
    return value === undefined ? [] : [[name, value]];
  });
  return keys.length === 0 ? undefined : keyElement(keys);
}
