import type { DescEnum, DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import * as publicApi from '@quartermaster/api/fulfillment';
import * as privateApi from '@quartermaster/api/private';
import { restBindings } from '@quartermaster/rpc';
import { describe, expect, it } from 'vitest';
import wire from './vectors/fulfillment-wire.json' with { type: 'json' };

// What the released clients expect: names, numbers, types, presence, methods and routes. Ours are numbered from here on.
const firstOfOurs = 100;

interface WireField {
  readonly number: number;
  readonly type: string;
  readonly oneof?: string;
}

interface WireMethod {
  readonly input: string;
  readonly output: string;
  readonly rest?: { readonly verb: string; readonly path: string; readonly body?: string; readonly responseBody?: string };
}

type Descriptor = DescMessage | DescEnum | DescService;

const isDescriptor = (value: unknown): value is Descriptor =>
  typeof value === 'object' && value !== null && 'kind' in value && 'typeName' in value;

// type name -> descriptor
const exported: readonly unknown[] = [...Object.values(publicApi), ...Object.values(privateApi)];
const descriptors = new Map(exported.filter(isDescriptor).map((each) => [each.typeName, each] as const));

function found<K extends Descriptor['kind']>(kind: K, name: string): Extract<Descriptor, { kind: K }> {
  const descriptor = descriptors.get(name);
  if (descriptor?.kind !== kind) throw new Error(`there is no ${kind} ${name}`);
  return descriptor as Extract<Descriptor, { kind: K }>;
}

const scalarNames = new Map<ScalarType, string>([
  [ScalarType.STRING, 'string'],
  [ScalarType.BOOL, 'bool'],
  [ScalarType.BYTES, 'bytes'],
  [ScalarType.INT32, 'int32'],
  [ScalarType.INT64, 'int64'],
]);

function typeOf(field: DescField): string {
  const element = field.message?.typeName ?? field.enum?.typeName ?? scalarNames.get(field.scalar ?? ScalarType.STRING) ?? 'another scalar';
  if (field.fieldKind === 'list') return `repeated ${element}`;
  if (field.fieldKind === 'map') return `map<${scalarNames.get(field.mapKey)}, ${element}>`;
  return `${field.proto.proto3Optional ? 'optional ' : ''}${element}`;
}

function wireField(field: DescField): WireField {
  return { number: field.number, type: typeOf(field), ...(field.oneof === undefined ? {} : { oneof: field.oneof.name }) };
}

function wireMethod(method: DescMethod): WireMethod {
  const [binding, ...more] = restBindings(method);
  expect(more).toEqual([]);
  const rest = binding === undefined ? undefined : { verb: binding.verb, path: binding.path, ...named(binding) };
  const output = `${method.methodKind === 'server_streaming' ? 'stream ' : ''}${method.output.typeName}`;
  return { input: method.input.typeName, output, ...(rest === undefined ? {} : { rest }) };
}

const named = ({ body, responseBody }: { readonly body: string; readonly responseBody: string }) => ({
  ...(body === '' ? {} : { body }),
  ...(responseBody === '' ? {} : { responseBody }),
});

describe('the fulfillment API on the wire', () => {
  it.each(Object.entries(wire.messages))('%s has the fields that the released clients know, and ours from 100 up', (name, expected) => {
    const message = found('message', name);
    expect(message.file.name).toBe(expected.file);
    const theirs = message.fields.filter((field) => field.number < firstOfOurs);
    expect(Object.fromEntries(theirs.map((field) => [field.name, wireField(field)]))).toEqual(expected.fields);
    expect(theirs.every((field) => field.jsonName === field.name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase()))).toBe(
      true,
    );
  });

  it.each(Object.entries(wire.enums))('%s has the values that the released clients know, and ours from 100 up', (name, expected) => {
    const { file, values } = found('enum', name);
    expect(file.name).toBe(expected.file);
    const theirs = values.filter(({ number }) => number < firstOfOurs);
    expect(Object.fromEntries(theirs.map((value) => [value.name, value.number]))).toEqual(expected.values);
  });

  it.each(Object.entries(wire.services))('%s has exactly the methods and routes that the released clients know', (name, expected) => {
    const { file, methods } = found('service', name);
    expect(file.name).toBe(expected.file);
    expect(Object.fromEntries(methods.map((method) => [method.name, wireMethod(method)]))).toEqual(expected.methods);
  });

  it('has no service and no message beside them in their packages, but for types of our own fields', () => {
    const known = new Set([...Object.keys(wire.messages), ...Object.keys(wire.enums), ...Object.keys(wire.services)]);
    const others = [...descriptors.keys()].filter((name) => !known.has(name) && !name.startsWith('google.'));
    expect(others.toSorted()).toEqual([
      'private.v1.HostNic',
      'private.v1.HostSource',
      'private.v1.HubCondition',
      'private.v1.HubConditionType',
      'private.v1.HubStatus',
      'private.v1.KubernetesSecretReference',
      'private.v1.SecretReference',
    ]);
  });

  it('does not give the numbers of events that we have not to anything else', () => {
    const reserved = found('message', 'private.v1.Event').proto.reservedRange.map(({ start, end }) => [start, end]);
    expect(reserved).toEqual([
      [7, 8],
      [8, 9],
      [11, 12],
    ]);
  });
});

describe('the public API', () => {
  // Names that only a provider may know: there is no field of such a name anywhere in the public contracts.
  const providerOnly = [
    'bmc',
    'rack',
    'hub',
    'finalizers',
    'kubeconfig',
    'password',
    'alias',
    'port',
    'serial',
    'source',
    'boot_mac',
    'boot_ip',
  ];
  const reachable = [...descriptors.values()].filter(
    (each): each is DescMessage =>
      each.kind === 'message' && /^(fulfillment|events|shared)\./.test(each.typeName) && !/Request$|Response$/.test(each.typeName),
  );

  it.each(reachable.map((message) => [message.typeName, message] as const))('%s shows nothing of the provider', (_name, message) => {
    expect(message.fields.filter((field) => providerOnly.includes(field.name)).map((field) => field.name)).toEqual([]);
    expect(message.fields.filter((field) => field.message?.typeName.startsWith('private.')).map((field) => field.name)).toEqual([]);
  });
});
