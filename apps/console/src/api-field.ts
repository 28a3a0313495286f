/** A field that a filter of the API can ask for. */
export interface ApiField {
  /** Without `this.`: `status.state`. */
  readonly path: string;
  readonly type: 'text' | 'number' | 'bool' | 'time' | 'enum' | 'list' | 'messages' | 'map';
  /** Of an enum. */
  readonly values?: readonly string[] | undefined;
  readonly description?: string | undefined;
}

/** Texts that occur in a field: path -> value -> what people call it. */
export type KnownValues = Readonly<Record<string, ReadonlyMap<string, string>>>;

/** What of an OpenAPI document the fields are read from. */
export interface SchemaDocument {
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | undefined;
  readonly format?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly additionalProperties?: unknown;
  readonly items?: JsonSchema | undefined;
}

/** Messages within messages go no deeper than people read. */
const maxDepth = 4;

/** No filter can ask for what is never shown, nor for what is kept outside of the object: when a source last saw a host. */
const unaskable = /(^|\.)((password|kubeconfig|pull_secret)(_ref\b.*)?|source\.last_seen)$/;

/** The fields of a message as the API's own description has them, the shallow ones first. */
export function fieldsOf(document: SchemaDocument, message: string): readonly ApiField[] {
  const { schemas } = document.components;
  const resolved = (schema: JsonSchema): JsonSchema => {
    const target = schema.$ref === undefined ? undefined : schemas[schema.$ref.replace('#/components/schemas/', '')];
    return target === undefined ? schema : { ...target, description: schema.description ?? target.description };
  };
  const walk = (schema: JsonSchema, prefix: string, depth: number): readonly ApiField[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, property]): readonly ApiField[] => {
      const path = `${prefix}${name}`;
      const value = resolved(property);
      if (unaskable.test(path) || value.contentEncoding !== undefined) return [];
      if (value.properties !== undefined && value.additionalProperties === false) {
        return depth === maxDepth ? [] : walk(value, `${path}.`, depth + 1);
      }
      const type = typeOf(value);
      return type === undefined ? [] : [{ path, type, values: value.enum, description: value.description }];
    });
  const depthOf = ({ path }: ApiField): number => path.split('.').length;
  return walk(schemas[message] ?? {}, '', 1).toSorted((a, b) => depthOf(a) - depthOf(b));
}

function typeOf({ type, format, enum: values, additionalProperties, items }: JsonSchema): ApiField['type'] | undefined {
  if (values !== undefined) return 'enum';
  // A list refers to its messages and to its enums alike, and both are compared in ways of their own.
  if (type === 'array') return items?.$ref === undefined ? 'list' : 'messages';
  if (type === 'object') return additionalProperties === undefined ? undefined : 'map';
  if (type === 'boolean') return 'bool';
  if (type === 'integer' || type === 'number' || format === 'int64' || format === 'uint64') return 'number';
  if (format === 'date-time') return 'time';
  return type === 'string' ? 'text' : undefined;
}
