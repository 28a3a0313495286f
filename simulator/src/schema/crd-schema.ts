import { schemaOf } from './built-in-schemas.ts';
import { isArray, isObject, type Json, type JsonObject } from './json.ts';
import type { SchemaNode } from './schema-node.ts';

/** Keywords that have a place of their own in a SchemaNode, or that say nothing about values. */
const elsewhere = new Set([
  ...['type', 'properties', 'additionalProperties', 'items', 'required', 'nullable', 'default', 'description', 'title', 'example'],
  ...['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type', 'x-kubernetes-preserve-unknown-fields'],
]);

/** What CRD schemas combine: rules without types, as SchemaNodes of type `any`. */
export interface Junctors {
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
}

/**
 * The schema of a version of a CRD (`openAPIV3Schema`), with `apiVersion`, `kind` and `metadata` added as every object has them.
 * It must be structural; `structuralProblems` says whether it is. Without a schema nothing is known and everything is kept.
 */
export function crdSchema(openApi: Json | undefined): SchemaNode {
  const root = isObject(openApi) ? nodeOf(openApi) : ({ type: 'object', preserveUnknown: true } as const);
  return { ...root, type: 'object', properties: { ...root.properties, ...objectFields(root.properties?.['metadata']) } };
}

/** The fields of an object that stands inside of another, under `x-kubernetes-embedded-resource`. */
export function embeddedFields(): Readonly<Record<string, SchemaNode>> {
  return objectFields(undefined);
}

export function isEmbedded(schema: SchemaNode): boolean {
  return schema.rules?.['x-kubernetes-embedded-resource'] === true;
}

export function junctorsOf({ rules = {} }: SchemaNode): Junctors {
  const list = (key: string): readonly SchemaNode[] => {
    const value = rules[key];
    return isArray(value) ? value.filter(isObject).map(nodeOf) : [];
  };
  const not = rules['not'];
  return { allOf: list('allOf'), anyOf: list('anyOf'), oneOf: list('oneOf'), not: isObject(not) ? nodeOf(not) : undefined };
}

function objectFields(given: SchemaNode | undefined): Record<string, SchemaNode> {
  const known = schemaOf('', 'v1', 'ConfigMap')?.properties?.['metadata'];
  const text: SchemaNode = { type: 'string' };
  const { name = text, generateName = text } = given?.properties ?? {};
  const metadata: SchemaNode = { type: 'object', properties: { ...known?.properties, name, generateName } };
  return { apiVersion: text, kind: text, metadata };
}

function nodeOf(schema: JsonObject): SchemaNode {
  const { properties, additionalProperties, items, required, nullable } = schema;
  const listType = schema['x-kubernetes-list-type'];
  const listMapKeys = schema['x-kubernetes-list-map-keys'];
  const mapType = schema['x-kubernetes-map-type'];
  const rules = Object.fromEntries(Object.entries(schema).filter(([key]) => !elsewhere.has(key)));
  return {
    type: typeOf(schema),
    properties: isObject(properties) ? propertiesOf(properties) : undefined,
    additional: additionalOf(additionalProperties),
    items: isObject(items) ? nodeOf(items) : undefined,
    required: isArray(required) ? required.map(String) : undefined,
    listType: listType === 'atomic' || listType === 'set' || listType === 'map' ? listType : undefined,
    listMapKeys: isArray(listMapKeys) ? listMapKeys.map(String) : undefined,
    mapType: mapType === 'atomic' || mapType === 'granular' ? mapType : undefined,
    preserveUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    nullable: nullable === true,
    default: schema['default'] ?? undefined,
    rules: Object.keys(rules).length === 0 ? undefined : rules,
  };
}

function typeOf(schema: JsonObject): SchemaNode['type'] {
  if (schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  switch (schema['type']) {
    case 'object':
    case 'array':
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return schema['type'];
    default:
      return 'any';
  }
}

function propertiesOf(properties: JsonObject): Record<string, SchemaNode> {
  const entries = Object.entries(properties).map(([name, child]): [string, SchemaNode] => [
    name,
    isObject(child) ? nodeOf(child) : { type: 'any' },
  ]);
  return Object.fromEntries(entries);
}

function additionalOf(value: Json | undefined): SchemaNode | undefined {
  if (value === true) return { type: 'any', preserveUnknown: true };
  return isObject(value) ? nodeOf(value) : undefined;
}
