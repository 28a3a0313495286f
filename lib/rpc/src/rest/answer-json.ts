import {
  clone,
  create,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { type Any, anyUnpack, StructSchema } from '@bufbuild/protobuf/wkt';

export interface AnswerJsonOptions {
  readonly registry: Registry;
  /** `node_sets` instead of `nodeSets`. */
  readonly useProtoNames: boolean;
  /** Leave out fields that have their default. Default false. */
  readonly isSparse?: boolean | undefined;
}

/** A message as an answer has it: fields without a value are there with their default. An Any of a type that is not known here does not fail it. */
export function answerJson(
  schema: DescMessage,
  answer: Message,
  { registry, useProtoNames, isSparse = false }: AnswerJsonOptions,
): JsonValue {
  const options = { alwaysEmitImplicit: !isSparse, useProtoFieldName: useProtoNames, registry };
  const structs = structsIn(schema, answer);
  const rest = structs.length === 0 ? answer : withoutFields(answer, structs);
  const json = restJson(schema, rest, options);
  for (const { field, value } of structs) (json as JsonObject)[useProtoNames ? field.name : field.jsonName] = value;
  return json;
}

function restJson(
  schema: DescMessage,
  answer: Message,
  options: Parameters<typeof toJson>[2] & { readonly registry: Registry },
): JsonValue {
  try {
    return toJson(schema, answer, options);
  } catch {
    const copy = clone(schema, answer);
    describeForeignAnys(reflect(schema, copy), options.registry);
    return toJson(schema, copy, options);
  }
}

interface StructField {
  readonly field: DescField;
  readonly value: JsonObject;
}

/** The fields of an answer that are JSON already. Made messages of and JSON again, a large one would take ten times as long to write. */
function structsIn(schema: DescMessage, answer: Message): StructField[] {
  const fields = schema.fields.filter((field) => field.fieldKind === 'message' && field.message.typeName === StructSchema.typeName);
  return fields.flatMap((field) => {
    const own = answer as Message & Readonly<Record<string, unknown>>;
    const chosen = field.oneof === undefined ? undefined : (own[field.oneof.localName] as { case?: string; value?: unknown });
    const value = field.oneof === undefined ? own[field.localName] : chosen?.case === field.localName ? chosen.value : undefined;
    return value === undefined ? [] : [{ field, value: value as JsonObject }];
  });
}

function withoutFields(answer: Message, structs: readonly StructField[]): Message {
  const cleared = structs.map(({ field }) =>
    field.oneof === undefined ? [field.localName, undefined] : [field.oneof.localName, { case: undefined }],
  );
  return { ...answer, ...(Object.fromEntries(cleared) as object) };
}

/** The one field of an answer that its rule names; all of it without a name. */
export function fieldOfAnswer(schema: DescMessage, json: JsonValue, field: string, useProtoNames: boolean): JsonValue {
  if (field === '') return json;
  const jsonName = schema.fields.find((each) => each.name === field)?.jsonName ?? field;
  return (json as JsonObject)[useProtoNames ? field : jsonName] ?? null;
}

/** Turns each Any that has no JSON into one that has: a Struct with what it holds as bytes. */
function describeForeignAnys(message: ReflectMessage, registry: Registry): void {
  for (const inner of messagesIn(message)) {
    if (inner.desc.typeName === 'google.protobuf.Any') describeForeignAny(inner.message as Any, registry);
    else describeForeignAnys(inner, registry);
  }
}

function describeForeignAny(any: Any, registry: Registry): void {
  if (isReadable(any, registry)) return;
  const value = Buffer.from(any.value).toString('base64');
  const text = (content: string) => ({ kind: { case: 'stringValue', value: content } }) as const;
  const struct = create(StructSchema, { fields: { type_url: text(any.typeUrl), value: text(value) } });
  any.typeUrl = `type.googleapis.com/${StructSchema.typeName}`;
  any.value = toBinary(StructSchema, struct);
}

function isReadable(any: Any, registry: Registry): boolean {
  try {
    const schema = registry.getMessage(any.typeUrl.slice(any.typeUrl.lastIndexOf('/') + 1));
    const inner = schema === undefined ? undefined : anyUnpack(any, schema);
    if (schema === undefined || inner === undefined) return false;
    toJson(schema, inner, { registry });
    return true;
  } catch {
    return false;
  }
}

function* messagesIn(message: ReflectMessage): Generator<ReflectMessage> {
  for (const field of message.fields) {
    if (field.message === undefined || !message.isSet(field)) continue;
    if (field.fieldKind === 'message') yield message.get(field);
    else if (field.fieldKind === 'list') yield* message.get(field) as Iterable<ReflectMessage>;
    else if (field.fieldKind === 'map') yield* message.get(field).values() as Iterable<ReflectMessage>;
  }
}
