import {
  create,
  createFileRegistry,
  type DescService,
  type JsonValue,
  type MessageInitShape,
  setExtension,
  toJson,
} from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorSetSchema,
  file_google_protobuf_duration,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { http } from '../generated/google/api/annotations_pb.ts';
import { type HttpRuleSchema, HttpRuleSchema as ruleSchema } from '../generated/google/api/http_pb.ts';
import { type ServedService, serve } from '../service-handlers.ts';
import { Transcoder } from './transcoder.ts';

const { STRING, INT64, BOOL, ENUM, MESSAGE } = FieldDescriptorProto_Type;

/** A service of hosts with one method per rule; its messages have fields of every kind that parameters can give. */
function hosts(rules: Readonly<Record<string, MessageInitShape<typeof HttpRuleSchema>>>): ServedService {
  const field = (name: string, number: number, type: FieldDescriptorProto_Type, typeName?: string, isList = false) => ({
    name,
    jsonName: name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase()),
    number,
    type,
    label: isList ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
    ...(typeName === undefined ? {} : { typeName }),
  });
  const options = (rule: MessageInitShape<typeof HttpRuleSchema>) => {
    const message = create(MethodOptionsSchema);
    setExtension(message, http, create(ruleSchema, rule));
    return message;
  };
  const set = create(FileDescriptorSetSchema, {
    file: [
      file_google_protobuf_duration.proto,
      {
        name: 'hosts.proto',
        package: 't',
        syntax: 'proto3',
        dependency: ['google/protobuf/duration.proto'],
        enumType: [
          {
            name: 'State',
            value: [
              { name: 'UNKNOWN', number: 0 },
              { name: 'READY', number: 1 },
            ],
          },
        ],
        messageType: [
          { name: 'Host', field: [field('id', 1, STRING), field('rack_name', 2, STRING), field('size_bytes', 3, INT64)] },
          {
            name: 'Request',
            field: [
              field('host', 1, MESSAGE, '.t.Host'),
              field('id', 2, STRING),
              field('is_dry_run', 3, BOOL),
              field('state', 4, ENUM, '.t.State'),
              field('tags', 5, STRING, undefined, true),
              field('limit', 6, INT64),
              field('within', 7, MESSAGE, '.google.protobuf.Duration'),
            ],
          },
        ],
        service: [
          {
            name: 'Hosts',
            method: Object.entries(rules).map(([name, rule]) => ({
              name,
              inputType: '.t.Request',
              outputType: '.t.Request',
              options: options(rule),
            })),
          },
        ],
      },
    ],
  });
  const service = createFileRegistry(set).getService('t.Hosts') as DescService;
  return serve(service, Object.fromEntries(service.methods.map((method) => [method.localName, (request: unknown) => request])) as never);
}

const transcoder = new Transcoder([
  hosts({
    List: { pattern: { case: 'get', value: '/v1/hosts' } },
    Get: { pattern: { case: 'get', value: '/v1/hosts/{host.id}' }, responseBody: 'host' },
    Create: { pattern: { case: 'post', value: '/v1/hosts' }, body: 'host' },
    Replace: {
      pattern: { case: 'put', value: '/v1/hosts/{id}' },
      body: '*',
      additionalBindings: [{ pattern: { case: 'patch', value: '/v2/{id}' }, body: '*' }],
    },
  }),
]);

const read = (verb: string, url: string, body?: JsonValue) => {
  const [path = '', query = ''] = url.split('?');
  const call = transcoder.read({ verb, path, query: new URLSearchParams(query), body });
  return { name: call.method.descriptor.name, request: toJson(call.method.descriptor.input, call.request), call };
};

describe('Transcoder', () => {
  it('takes parameters of every kind, by either spelling of their names', () => {
    const { name, request } = read(
      'GET',
      '/v1/hosts?is_dry_run=true&state=READY&tags=a&tags=b&limit=9007199254740993&within=1.5s&host.rackName=r1',
    );
    expect(name).toBe('List');
    expect(request).toEqual({
      isDryRun: true,
      state: 'READY',
      tags: ['a', 'b'],
      limit: '9007199254740993',
      within: '1.500s',
      host: { rackName: 'r1' },
    });
    expect(read('GET', '/v1/hosts?isDryRun&state=1&pretty').request).toEqual({ isDryRun: true, state: 'READY' });
  });

  it('puts variables of the path where they belong and answers with the field that the rule names', () => {
    const { request, call } = read('GET', '/v1/hosts/h%201');
    expect(request).toEqual({ host: { id: 'h 1' } });
    expect(call.answer(call.request)).toEqual({ kind: 'json', json: { id: 'h 1', rackName: '', sizeBytes: '0' } });
  });

  it('reads a body as a field or as the whole request', () => {
    expect(read('POST', '/v1/hosts?is_dry_run=true', { id: 'h1', sizeBytes: '5' }).request).toEqual({
      isDryRun: true,
      host: { id: 'h1', sizeBytes: '5' },
    });
    expect(read('PUT', '/v1/hosts/h1', { tags: ['x'], id: 'other' }).request).toEqual({ id: 'h1', tags: ['x'] });
    expect(read('PATCH', '/v2/h1', {}).name).toBe('Replace');
  });

  it.each([
    ['GET', '/v1/hosts?nope=1', undefined, 'unknown parameter "nope": must be one of host, id, is_dry_run, state, tags, limit, within'],
    ['GET', '/v1/hosts?host.nope=1', undefined, 'unknown parameter "host.nope": must be one of id, rack_name, size_bytes'],
    ['GET', '/v1/hosts?id=1&id=2', undefined, 'parameter "id": takes one value'],
    ['GET', '/v1/hosts?host=x', undefined, 'parameter "host": name one of its fields: host.id, host.rack_name, host.size_bytes'],
    ['GET', '/v1/hosts?is_dry_run=maybe', undefined, 'parameter "is_dry_run": "maybe" is neither true nor false'],
    ['GET', '/v1/hosts?id.x=1', undefined, 'parameter "id.x": id has no fields of its own'],
    ['GET', '/v1/hosts?limit=ten', undefined, /^field "limit": must be a whole number/],
    ['GET', '/v1/hosts?within=long', undefined, 'field "within": must be a duration in seconds, such as "1.5s"'],
    ['PUT', '/v1/hosts/h1?limit=1', {}, 'unknown parameter "limit": the body is the whole request'],
    ['PUT', '/v1/hosts/h1', ['x'], 'body must be a JSON object'],
    ['POST', '/v1/hosts', { nope: 1 }, 'field "nope": unknown field: must be one of id, rack_name, size_bytes'],
    ['POST', '/v1/hosts', 'text', 'body must be a JSON object'],
    ['POST', '/v1/hosts?host.id=h1', null, 'body must be a JSON object'],
  ] as const)('refuses %s %s and says why', (verb, url, body, message) => {
    expect(() => read(verb, url, body as JsonValue | undefined)).toThrow(
      expect.objectContaining({
        code: 'invalid_argument',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      }),
    );
  });

  it('says what a path answers, or that there is nothing', () => {
    expect(() => read('DELETE', '/v1/hosts')).toThrow('/v1/hosts does not support DELETE: use GET or POST');
    expect(() => read('GET', '/v3')).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});
