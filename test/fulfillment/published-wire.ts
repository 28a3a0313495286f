import { create, createFileRegistry, type FileRegistry } from '@bufbuild/protobuf';
import {
  AnySchema,
  type DescriptorProto,
  DescriptorProtoSchema,
  type EnumDescriptorProto,
  EnumDescriptorProtoSchema,
  type FieldDescriptorProto,
  FieldDescriptorProtoSchema,
  FieldDescriptorProto_Label as FieldLabel,
  FieldMaskSchema,
  FieldDescriptorProto_Type as FieldType,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  type ServiceDescriptorProto,
  ServiceDescriptorProtoSchema,
  StringValueSchema,
  TimestampSchema,
} from '@bufbuild/protobuf/wkt';
import wire from '../api/vectors/fulfillment-wire.json' with { type: 'json' };

interface WireField {
  readonly number: number;
  readonly type: string;
  readonly oneof?: string;
}

/** Fields that the released command line does not know: its release is older than the server that the numbers were read off. */
export const laterThanReleased: Readonly<Record<string, readonly string[]>> = {
  'private.v1.HostSpec': ['bmc', 'rack', 'class', 'boot_mac', 'boot_ip', 'title', 'description', 'bcm_link'],
  'private.v1.HostStatus': ['cluster', 'hub'],
  'private.v1.ClusterStatus': ['alias', 'port'],
  'private.v1.ClusterNodeSet': ['hosts'],
  'private.v1.Hub': ['pull_secret', 'ssh_public_key', 'ip'],
};

const known = [AnySchema, TimestampSchema, FieldMaskSchema, StringValueSchema].map(({ file }) => file.proto);
const packages = ['google.api', 'shared.v1', 'metadata.v1', 'fulfillment.v1', 'events.v1', 'private.v1'];

const scalars: Readonly<Record<string, FieldType>> = {
  string: FieldType.STRING,
  bool: FieldType.BOOL,
  bytes: FieldType.BYTES,
  int32: FieldType.INT32,
};

/** The types of the API from nothing but the published names and numbers: none of our generated code is in them. */
export function publishedTypes(without: Readonly<Record<string, readonly string[]>> = {}): FileRegistry {
  const files: FileDescriptorProto[] = [];
  for (const name of packages) files.push(fileOf(name, without, files));
  return createFileRegistry(create(FileDescriptorSetSchema, { file: [...known, ...files] }));
}

function fileOf(name: string, without: Readonly<Record<string, readonly string[]>>, before: readonly FileDescriptorProto[]) {
  const mine = <T>(all: Readonly<Record<string, T>>): [string, T][] =>
    Object.entries(all).filter(([full]) => full.slice(0, full.lastIndexOf('.')) === name);
  const messages: Readonly<Record<string, { readonly fields: Readonly<Record<string, WireField>> }>> = {
    ...wire.messages,
    'google.api.HttpBody': { fields: { content_type: { number: 1, type: 'string' }, data: { number: 2, type: 'bytes' } } },
  };
  return create(FileDescriptorProtoSchema, {
    name: `${name}.proto`,
    package: name,
    syntax: 'proto3',
    dependency: [...known, ...before].map((file) => file.name),
    enumType: mine(wire.enums).map(([full, { values }]) => enumOf(full, values)),
    messageType: mine(messages).map(([full, { fields }]) => messageOf(full, fields, without[full] ?? [])),
    service: mine(wire.services).map(([full, { methods }]) => serviceOf(full, methods)),
  });
}

const lastOf = (full: string): string => full.slice(full.lastIndexOf('.') + 1);

function enumOf(full: string, values: Readonly<Record<string, number>>): EnumDescriptorProto {
  return create(EnumDescriptorProtoSchema, {
    name: lastOf(full),
    value: Object.entries(values).map(([name, number]) => ({ name, number })),
  });
}

function messageOf(full: string, fields: Readonly<Record<string, WireField>>, without: readonly string[]): DescriptorProto {
  const result = create(DescriptorProtoSchema, { name: lastOf(full) });
  const oneofs = [...new Set(Object.values(fields).flatMap(({ oneof }) => oneof ?? []))];
  result.oneofDecl = oneofs.map((name) => ({ name, $typeName: 'google.protobuf.OneofDescriptorProto' }));
  for (const [name, { number, type, oneof }] of Object.entries(fields)) {
    if (without.includes(name)) continue;
    const [, value] = /^map<string, (.+)>$/.exec(type) ?? [];
    const field = create(FieldDescriptorProtoSchema, { name, number, label: FieldLabel.OPTIONAL });
    if (value !== undefined) addMap(result, full, field, value);
    else if (type.startsWith('repeated ')) Object.assign(field, { label: FieldLabel.REPEATED, ...kindOf(type.slice(9)) });
    else if (type.startsWith('optional ')) addOptional(result, field, type.slice(9));
    else Object.assign(field, kindOf(type), oneof === undefined ? {} : { oneofIndex: oneofs.indexOf(oneof) });
    result.field.push(field);
  }
  return result;
}

function addMap(message: DescriptorProto, full: string, field: FieldDescriptorProto, value: string): void {
  const entry = `${field.name.replace(/(^|_)(.)/g, (_all, _line, letter: string) => letter.toUpperCase())}Entry`;
  message.nestedType.push(
    create(DescriptorProtoSchema, {
      name: entry,
      options: { mapEntry: true },
      field: [
        { name: 'key', number: 1, label: FieldLabel.OPTIONAL, type: FieldType.STRING },
        { name: 'value', number: 2, label: FieldLabel.OPTIONAL, ...kindOf(value) },
      ],
    }),
  );
  Object.assign(field, { label: FieldLabel.REPEATED, type: FieldType.MESSAGE, typeName: `.${full}.${entry}` });
}

/** Proto3 says "optional" by a oneof of its own. */
function addOptional(message: DescriptorProto, field: FieldDescriptorProto, type: string): void {
  Object.assign(field, kindOf(type), { proto3Optional: true, oneofIndex: message.oneofDecl.length });
  message.oneofDecl.push({ name: `_${field.name}`, $typeName: 'google.protobuf.OneofDescriptorProto' });
}

function kindOf(type: string): { readonly type: FieldType; readonly typeName?: string } {
  const scalar = scalars[type];
  if (scalar !== undefined) return { type: scalar };
  return { type: type in wire.enums ? FieldType.ENUM : FieldType.MESSAGE, typeName: `.${type}` };
}

function serviceOf(
  full: string,
  methods: Readonly<Record<string, { readonly input: string; readonly output: string }>>,
): ServiceDescriptorProto {
  return create(ServiceDescriptorProtoSchema, {
    name: lastOf(full),
    method: Object.entries(methods).map(([name, { input, output }]) => {
      const isStream = output.startsWith('stream ');
      return { name, inputType: `.${input}`, outputType: `.${isStream ? output.slice(7) : output}`, serverStreaming: isStream };
    }),
  });
}
