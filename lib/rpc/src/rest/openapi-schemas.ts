import { type DescEnum, type DescField, type DescMessage, type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { statusCodes } from '@quartermaster/kernel';

export interface SchemaOptions {
  /** Properties are named as in the contract, not in camelCase. */
  readonly useProtoNames: boolean;
  /** The comment of the contract on something, by its full name. */
  readonly describe: (fullName: string) => string | undefined;
}

/** JSON Schemas of messages, each made once and referred to by name. */
export class OpenApiSchemas {
  readonly #options: SchemaOptions;
  readonly #schemas = new Map<string, JsonObject>(); // type name -> schema

  constructor(options: SchemaOptions) {
    this.#options = options;
  }

  /** Everything that was referred to, by name. */
  all(): JsonObject {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  nameOf(field: DescField): string {
    return this.#options.useProtoNames ? field.name : field.jsonName;
  }

  describe(fullName: string): JsonObject {
    const description = this.#options.describe(fullName);
    return description === undefined ? {} : { description };
  }

  ofMessage(message: DescMessage): JsonObject {
    const known = ownForms.get(message.typeName);
    if (known !== undefined) return known;
    if (!this.#schemas.has(message.typeName)) {
      this.#schemas.set(message.typeName, {});
      this.#schemas.set(message.typeName, this.#object(message));
    }
    return reference(message.typeName);
  }

  /** Of a field's value, with its comment. */
  ofField(field: DescField): JsonObject {
    return { ...this.#value(field), ...this.describe(`${field.parent.typeName}.${field.name}`) };
  }

  #value(field: DescField): JsonObject {
    if (field.fieldKind === 'list') return { type: 'array', items: this.#element(field) };
    if (field.fieldKind === 'map') return { type: 'object', additionalProperties: this.#element(field) };
    return this.#element(field);
  }

  #element(field: DescField): JsonObject {
    if (field.message !== undefined) return this.ofMessage(field.message);
    if (field.enum !== undefined) return this.#enumeration(field.enum);
    return field.scalar === undefined ? {} : { ...scalarSchemas[field.scalar] };
  }

  #enumeration(enumeration: DescEnum): JsonObject {
    const { typeName, values } = enumeration;
    if (!this.#schemas.has(typeName)) {
      const described = values.flatMap(({ name }) => {
        const text = this.#options.describe(`${typeName}.${name}`);
        return text === undefined ? [] : [`${name}: ${text}`];
      });
      const description = [this.#options.describe(typeName) ?? [], described].flat().join('\n\n');
      const names: JsonValue[] = values.map(({ name }) => name);
      this.#schemas.set(typeName, { type: 'string', enum: names, ...(description === '' ? {} : { description }) });
    }
    return reference(typeName);
  }

  #object(message: DescMessage): JsonObject {
    const properties = Object.fromEntries(message.fields.map((field) => [this.nameOf(field), this.ofField(field)]));
    const choices = message.oneofs.map((oneof) => `At most one of ${oneof.fields.map((field) => this.nameOf(field)).join(', ')}.`);
    const description = [this.#options.describe(message.typeName) ?? [], choices].flat().join('\n\n');
    return { type: 'object', ...(description === '' ? {} : { description }), properties, additionalProperties: false };
  }
}

/** The body of every failure: docs/reference/errors.md. */
export const errorSchema: JsonObject = {
  type: 'object',
  description: 'Why a request was refused.',
  properties: {
    code: { type: 'string', enum: [...statusCodes] },
    message: { type: 'string', description: 'For people: the field or object, the rule and the way out.' },
    details: {
      type: 'object',
      description: 'For programs.',
      properties: {
        fieldViolations: {
          type: 'array',
          items: {
            type: 'object',
            properties: { field: { type: 'string' }, description: { type: 'string' } },
            required: ['field', 'description'],
          },
        },
      },
      additionalProperties: true,
    },
  },
  required: ['code', 'message'],
};

export const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const int32: JsonObject = { type: 'integer', format: 'int32' };
const uint32: JsonObject = { type: 'integer', format: 'int64', minimum: 0, maximum: 4294967295 };
// JSON numbers are not exact beyond 2^53, so these are texts.
const int64: JsonObject = { type: 'string', format: 'int64', pattern: '^-?[0-9]+$' };
const uint64: JsonObject = { type: 'string', format: 'uint64', pattern: '^[0-9]+$' };
const bytes: JsonObject = { type: 'string', contentEncoding: 'base64' };

const scalarSchemas: Readonly<Record<ScalarType, JsonObject>> = {
  [ScalarType.STRING]: { type: 'string' },
  [ScalarType.BYTES]: bytes,
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.DOUBLE]: { type: 'number', format: 'double' },
  [ScalarType.FLOAT]: { type: 'number', format: 'float' },
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.INT64]: int64,
  [ScalarType.SINT64]: int64,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.FIXED64]: uint64,
};

/** Messages whose JSON is not an object of their fields -> its schema. */
const ownForms: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['google.protobuf.Any', { type: 'object', properties: { '@type': { type: 'string' } }, required: ['@type'], additionalProperties: true }],
  ['google.protobuf.BoolValue', { type: 'boolean' }],
  ['google.protobuf.BytesValue', bytes],
  ['google.protobuf.DoubleValue', { type: 'number', format: 'double' }],
  ['google.protobuf.Duration', { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]{1,9})?s$' }],
  ['google.protobuf.FieldMask', { type: 'string' }],
  ['google.protobuf.FloatValue', { type: 'number', format: 'float' }],
  ['google.protobuf.Int32Value', int32],
  ['google.protobuf.Int64Value', int64],
  ['google.protobuf.ListValue', { type: 'array', items: {} }],
  ['google.protobuf.StringValue', { type: 'string' }],
  ['google.protobuf.Struct', { type: 'object', additionalProperties: true }],
  ['google.protobuf.Timestamp', { type: 'string', format: 'date-time' }],
  ['google.protobuf.UInt32Value', uint32],
  ['google.protobuf.UInt64Value', uint64],
  ['google.protobuf.Value', {}],
]);
