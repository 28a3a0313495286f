/** Turns the schemas of an OpenAPI v3 document into the types of `vectors/built-in.json`. */
import type { TypeData } from '../src/schema/built-in-data.ts';
import type { SchemaNode } from '../src/schema/schema-node.ts';

export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly required?: readonly string[];
  readonly 'x-kubernetes-list-type'?: SchemaNode['listType'];
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: SchemaNode['mapType'];
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
}

export type OpenApiSchemas = Readonly<Record<string, OpenApiSchema>>;

/** The types that the named ones need, themselves included, by name. */
export function compactTypes(schemas: OpenApiSchemas, roots: Iterable<string>): Record<string, TypeData> {
  const types = new Map<string, TypeData>();
  const waiting = [...roots];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const schema = schemas[name];
    if (types.has(name) || schema === undefined) continue;
    types.set(
      name,
      compact(schema, (ref) => waiting.push(ref)),
    );
  }
  return Object.fromEntries([...types].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, type]) => [shortName(name), type]));
}

/** Names without the part that all of them share. */
export function shortName(name: string): string {
  return name.replace(/^io\.k8s\.(api|apimachinery\.pkg|apiextensions-apiserver\.pkg)\./, '');
}

const inlined: Readonly<Record<string, TypeData>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'quantity' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'int-or-string' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'any' },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'any' },
};

function compact(schema: OpenApiSchema, need: (name: string) => void): TypeData {
  const ref = (schema.$ref ?? schema.allOf?.[0]?.$ref)?.replace('#/components/schemas/', '');
  const own: TypeData = {
    ...typeOf(schema, ref, need),
    ...(schema.default === undefined ? {} : { default: schema.default }),
    ...extensionsOf(schema),
    ...rulesOf(schema),
  };
  const { properties, items, additionalProperties, required = [] } = schema;
  return {
    ...own,
    ...(properties === undefined ? {} : { properties: compactProperties(properties, required, need) }),
    ...(required.length === 0 ? {} : { required }),
    ...(items === undefined ? {} : { items: withoutDefault(compact(items, need)) }),
    ...(typeof additionalProperties === 'object' ? { additional: withoutDefault(compact(additionalProperties, need)) } : {}),
  };
}

/** The server has a field always when it cannot be left out of the Go struct: it is required, or a struct by value. */
function compactProperties(
  properties: OpenApiSchemas,
  required: readonly string[],
  need: (name: string) => void,
): Record<string, TypeData> {
  const entries = Object.entries(properties).map(([name, property]): [string, TypeData] => {
    const alwaysPresent = required.includes(name) || isEmptyObject(property.default);
    return [name, { ...compact(property, need), ...(alwaysPresent ? { alwaysPresent } : {}) }];
  });
  return Object.fromEntries(entries);
}

function typeOf(schema: OpenApiSchema, ref: string | undefined, need: (name: string) => void): TypeData {
  if (ref !== undefined) {
    const inline = inlined[ref];
    if (inline !== undefined) return inline;
    need(ref);
    return { ref: shortName(ref) };
  }
  switch (schema.type) {
    case 'object':
    case 'array':
    case 'string':
    case 'integer':
    case 'number':
    case 'boolean':
      return { type: schema.type };
    default:
      return { type: 'any' };
  }
}

function extensionsOf(schema: OpenApiSchema): Partial<TypeData> {
  const listType = schema['x-kubernetes-list-type'];
  const listMapKeys = schema['x-kubernetes-list-map-keys'];
  const mapType = schema['x-kubernetes-map-type'];
  const patchStrategy = schema['x-kubernetes-patch-strategy']?.split(',') as SchemaNode['patchStrategy'];
  const patchMergeKey = schema['x-kubernetes-patch-merge-key'];
  return {
    ...(listType === undefined ? {} : { listType }),
    ...(listMapKeys === undefined ? {} : { listMapKeys }),
    ...(mapType === undefined ? {} : { mapType }),
    ...(patchStrategy === undefined ? {} : { patchStrategy }),
    ...(patchMergeKey === undefined ? {} : { patchMergeKey }),
  };
}

function rulesOf({ format, enum: values }: OpenApiSchema): Partial<TypeData> {
  const rules = { ...(format === undefined ? {} : { format }), ...(values === undefined ? {} : { enum: values }) };
  return Object.keys(rules).length === 0 ? {} : { rules };
}

/** The default of an item or of a map's value says what null means there; nothing is ever filled in. */
function withoutDefault({ default: _, ...type }: TypeData): TypeData {
  return type;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}
