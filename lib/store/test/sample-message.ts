/** A message type with every kind of field that there is, made without generated code. */
import { create, createFileRegistry, type DescEnum, type DescMessage } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from '@bufbuild/protobuf/wkt';

const kinds = {
  string: FieldDescriptorProto_Type.STRING,
  bytes: FieldDescriptorProto_Type.BYTES,
  bool: FieldDescriptorProto_Type.BOOL,
  int32: FieldDescriptorProto_Type.INT32,
  int64: FieldDescriptorProto_Type.INT64,
  sint64: FieldDescriptorProto_Type.SINT64,
  uint32: FieldDescriptorProto_Type.UINT32,
  fixed64: FieldDescriptorProto_Type.FIXED64,
  float: FieldDescriptorProto_Type.FLOAT,
  double: FieldDescriptorProto_Type.DOUBLE,
} as const;

type FieldSpec = readonly [name: string, type: string];

const metadataFields: readonly FieldSpec[] = [
  ['name', 'string'],
  ['version', 'int64'],
  ['creation_timestamp', '.google.protobuf.Timestamp'],
  ['deletion_timestamp', '.google.protobuf.Timestamp'],
  ['tenants', 'repeated string'],
  ['labels', 'map string string'],
];

const childFields: readonly FieldSpec[] = [
  ['title', 'string'],
  ['size', 'int32'],
  ['ratio', 'double'],
  ['tags', 'repeated string'],
  ['notes', 'map string string'],
  ['child', '.sample.Child'],
];

const specFields: readonly FieldSpec[] = [
  ['title', 'string'],
  ['class', 'string'],
  ['secret', 'string'],
  ['count', 'int32'],
  ['big', 'int64'],
  ['zigzag', 'sint64'],
  ['small', 'uint32'],
  ['huge', 'fixed64'],
  ['ratio', 'double'],
  ['score', 'double'],
  ['single', 'float'],
  ['flag', 'bool'],
  ['marked', 'bool'],
  ['blob', 'bytes'],
  ['state', 'enum'],
  ['at', '.google.protobuf.Timestamp'],
  ['lasting', '.google.protobuf.Duration'],
  ['child', '.sample.Child'],
  ['payload', '.google.protobuf.Any'],
  ['wrapped_text', '.google.protobuf.StringValue'],
  ['wrapped_count', '.google.protobuf.Int64Value'],
  ['maybe_text', 'optional string'],
  ['maybe_count', 'optional int64'],
  ['chosen_text', 'oneof string'],
  ['chosen_child', 'oneof .sample.Child'],
  ['texts', 'repeated string'],
  ['numbers', 'repeated int64'],
  ['ratios', 'repeated double'],
  ['blobs', 'repeated bytes'],
  ['states', 'repeated enum'],
  ['moments', 'repeated .google.protobuf.Timestamp'],
  ['children', 'repeated .sample.Child'],
  ['notes', 'map string string'],
  ['counts', 'map int64 int32'],
  ['switches', 'map bool double'],
  ['groups', 'map string .sample.Child'],
];

/** The names of the values: STATE_UNKNOWN, STATE_READY, STATE_FAILED, STATE_LOST. */
const stateValues = [
  { name: 'STATE_UNKNOWN', number: 0 },
  { name: 'STATE_READY', number: 1 },
  { name: 'STATE_FAILED', number: 2 },
  { name: 'STATE_LOST', number: -5 },
];

export interface SampleTypes {
  readonly object: DescMessage;
  readonly state: DescEnum;
}

export function sampleTypes(): SampleTypes {
  const file = create(FileDescriptorProtoSchema, {
    name: 'sample.proto',
    package: 'sample',
    syntax: 'proto3',
    dependency: [
      'google/protobuf/any.proto',
      'google/protobuf/duration.proto',
      'google/protobuf/timestamp.proto',
      'google/protobuf/wrappers.proto',
    ],
    enumType: [{ name: 'State', value: stateValues }],
    messageType: [
      messageType('Metadata', metadataFields),
      messageType('Child', childFields),
      messageType('Spec', specFields),
      messageType('Object', [
        ['id', 'string'],
        ['metadata', '.sample.Metadata'],
        ['spec', '.sample.Spec'],
      ]),
    ],
  });
  const known = [file_google_protobuf_any, file_google_protobuf_duration, file_google_protobuf_timestamp, file_google_protobuf_wrappers];
  const registry = createFileRegistry(file, (name) => known.find((each) => `${each.name}.proto` === name));
  const [object, state] = [registry.getMessage('sample.Object'), registry.getEnum('sample.State')];
  if (object === undefined || state === undefined) throw new Error('sample.proto does not define its types');
  return { object, state };
}

function messageType(name: string, fields: readonly FieldSpec[]) {
  const optional = fields.filter(([, type]) => type.startsWith('optional '));
  return {
    name,
    field: fields.map(([field, type], i) => fieldType(name, field, type, i + 1, 1 + optional.findIndex(([other]) => other === field))),
    nestedType: fields.filter(([, type]) => type.startsWith('map ')).map(([field, type]) => entryType(field, type)),
    oneofDecl: fields.some(([, type]) => type.startsWith('oneof '))
      ? [{ name: 'choice' }, ...optional.map(([field]) => ({ name: `_${field}` }))]
      : [],
  };
}

function entryType(field: string, type: string) {
  const [, key = '', value = ''] = type.split(' ');
  return {
    name: entryName(field),
    options: { mapEntry: true },
    field: [fieldType('', 'key', key, 1, 0), fieldType('', 'value', value, 2, 0)],
  };
}

function entryName(field: string): string {
  return `${field.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Entry`;
}

function fieldType(message: string, name: string, text: string, number: number, optionalIndex: number) {
  const words = text.split(' ');
  const base = { name, number, label: FieldDescriptorProto_Label.OPTIONAL };
  switch (words[0]) {
    case 'map':
      return {
        ...base,
        label: FieldDescriptorProto_Label.REPEATED,
        type: FieldDescriptorProto_Type.MESSAGE,
        typeName: `.sample.${message}.${entryName(name)}`,
      };
    case 'repeated':
      return { ...base, ...valueType(words[1] ?? ''), label: FieldDescriptorProto_Label.REPEATED };
    case 'optional':
      return { ...base, ...valueType(words[1] ?? ''), proto3Optional: true, oneofIndex: optionalIndex };
    case 'oneof':
      return { ...base, ...valueType(words[1] ?? ''), oneofIndex: 0 };
    default:
      return { ...base, ...valueType(text) };
  }
}

function valueType(type: string) {
  if (type === 'enum') return { type: FieldDescriptorProto_Type.ENUM, typeName: '.sample.State' };
  if (type.startsWith('.')) return { type: FieldDescriptorProto_Type.MESSAGE, typeName: type };
  return { type: kinds[type as keyof typeof kinds] };
}
