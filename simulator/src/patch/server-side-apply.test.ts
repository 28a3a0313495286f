import { describe, expect, it } from 'vitest';
import { refusalOf } from '../schema/api-status.ts';
import { schemaOf } from '../schema/built-in-schemas.ts';
import { crdSchema } from '../schema/crd-schema.ts';
import type { JsonObject } from '../schema/json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import type { ApplyOutcome } from './api.ts';
import { ownableFields } from './ownable-fields.ts';
import { recordUpdate } from './record-update.ts';
import { serverSideApply } from './server-side-apply.ts';

const configMap = schemaOf('', 'v1', 'ConfigMap') ?? { type: 'any' };
const deployment = schemaOf('apps', 'v1', 'Deployment') ?? { type: 'any' };
const day = (number: number) => `2026-01-0${number}T00:00:00Z`;

interface Settings {
  readonly schema?: SchemaNode;
  readonly now?: string;
  readonly force?: boolean;
  readonly subresource?: string;
}

function apply(live: JsonObject | undefined, manager: string, body: JsonObject, settings: Settings = {}): ApplyOutcome {
  const { schema = configMap, now = day(1), force = false, subresource } = settings;
  const ownable = ownableFields({ hasStatus: schema === deployment, isCustom: false }, subresource);
  const write = { live, schema, manager, apiVersion: 'v1', now, ...(subresource === undefined ? {} : { subresource }) };
  const whole = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'x' }, ...body };
  return serverSideApply({ ...write, ...(ownable === undefined ? {} : { ownable }) }, whole, { force });
}

function applied(...args: Parameters<typeof apply>): JsonObject {
  const outcome = apply(...args);
  if ('conflicts' in outcome) throw new Error(outcome.message);
  return outcome.object;
}

const ownersOf = (object: JsonObject) => ((object['metadata'] as JsonObject)['managedFields'] ?? []) as readonly JsonObject[];
const timesOf = (object: JsonObject) => Object.fromEntries(ownersOf(object).map(({ manager, time }) => [String(manager), time]));

describe('server-side apply', () => {
  it('creates an object whose fields the manager owns, but not its identity', () => {
    const object = applied(undefined, 'one', { data: { a: '1' } });
    expect(object['data']).toEqual({ a: '1' });
    expect(ownersOf(object)).toEqual([
      { manager: 'one', operation: 'Apply', apiVersion: 'v1', time: day(1), fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ]);
  });

  it('removes what it no longer applies and nobody else owns', () => {
    const first = applied(undefined, 'one', { data: { a: '1', b: '1' } });
    const shared = applied(first, 'two', { data: { b: '1' } });
    expect(applied(shared, 'one', { data: {} })['data']).toEqual({ b: '1' });
    expect(applied(first, 'one', { data: { b: '1' } })['data']).toEqual({ b: '1' });
  });

  it('names every field of another manager that it would change', () => {
    const first = applied(undefined, 'one', { data: { a: '1', b: '1', c: '1' } });
    const outcome = apply(first, 'two', { data: { a: '2', b: '2', c: '1' } });
    expect(outcome).toEqual({
      conflicts: [
        { field: '.data.a', manager: 'one', message: 'conflict with "one"' },
        { field: '.data.b', manager: 'one', message: 'conflict with "one"' },
      ],
      message: 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.a\n- .data.b',
    });
  });

  it('takes fields over by force', () => {
    const first = applied(undefined, 'one', { data: { a: '1', b: '1' } });
    const object = applied(first, 'two', { data: { a: '2' } }, { force: true });
    expect(object['data']).toEqual({ a: '2', b: '1' });
    expect(ownersOf(object).map(({ manager, fieldsV1 }) => ({ manager, fieldsV1 }))).toEqual([
      { manager: 'one', fieldsV1: { 'f:data': { 'f:b': {} } } },
      { manager: 'two', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ]);
  });

  it('moves the time only of a manager that changed something', () => {
    const first = applied(undefined, 'one', { data: { a: '1' } });
    expect(applied(first, 'one', { data: { a: '1' } }, { now: day(2) })).toEqual(first);
    const other = applied(first, 'two', { data: { b: '1' } }, { now: day(3) });
    expect(timesOf(other)).toEqual({ one: day(1), two: day(3) });
    expect(timesOf(applied(other, 'one', { data: { a: '2' } }, { now: day(4) }))).toEqual({ one: day(4), two: day(3) });
  });

  it('conflicts with what an update set, and says in which version', () => {
    const live = recordUpdate({ live: undefined, schema: configMap, manager: 'hand', apiVersion: 'v1', now: day(1) }, { data: { a: '1' } });
    const outcome = apply(live, 'one', { data: { a: '2' } });
    expect('conflicts' in outcome && outcome.message).toBe('Apply failed with 1 conflict: conflict with "hand" using v1: .data.a');
  });

  it('finds everything owned by a manager of its own where owners were forgotten', () => {
    const live = { metadata: { name: 'x', uid: 'u' }, data: { a: '1' } };
    const outcome = apply(live, 'one', { data: { a: '2' } });
    expect('conflicts' in outcome && outcome.conflicts[0]?.manager).toBe('before-first-apply');
  });

  it('merges ports whose protocol is left out with the TCP ones', () => {
    const body = (port: JsonObject) => ({ spec: { template: { spec: { containers: [{ name: 'c', ports: [port] }] } } } });
    const first = applied(undefined, 'one', body({ containerPort: 80, protocol: 'TCP' }), { schema: deployment });
    const both = applied(first, 'two', body({ containerPort: 80, name: 'web' }), { schema: deployment });
    expect(both).toMatchObject(body({ containerPort: 80, protocol: 'TCP', name: 'web' }));
  });

  it('owns nothing of the status, and of its status nothing else', () => {
    const first = applied(undefined, 'one', { spec: { replicas: 1 }, status: { replicas: 5 } }, { schema: deployment });
    const second = applied(
      first,
      'two',
      { spec: { replicas: 9 }, status: { replicas: 6 } },
      { schema: deployment, subresource: 'status', force: true },
    );
    expect(ownersOf(second).map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ['one', { 'f:spec': { 'f:replicas': {} } }],
      ['two', { 'f:status': { 'f:replicas': {} } }],
    ]);
  });

  it('treats atomic lists and maps of a CRD as one value', () => {
    const schema = crdSchema({
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'string' } },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: {} },
      },
    });
    const first = applied(undefined, 'one', { list: ['a'], whole: {} }, { schema });
    const outcome = apply(first, 'two', { list: ['a', 'b'] }, { schema });
    expect('conflicts' in outcome && outcome.conflicts.map(({ field }) => field)).toEqual(['.list']);
  });

  it.each<[string, JsonObject, string]>([
    ['an unknown field', { spec: { bogus: 1 } }, '.spec.bogus: field not declared in schema'],
    ['a text for a list', { spec: { template: { spec: { containers: 'x' } } } }, 'expected array, got "x"'],
    [
      'two items of one key',
      { spec: { template: { spec: { containers: [{ name: 'c' }, { name: 'c' }] } } } },
      'duplicate entries for key [name="c"]',
    ],
    ['an item without its key', { metadata: { ownerReferences: [null] } }, 'have one of the keys [uid]'],
    ['managedFields', { metadata: { managedFields: [] } }, 'metadata.managedFields must be nil'],
  ])('refuses %s', (_, body, message) => {
    const act = () => apply(undefined, 'one', body, { schema: deployment });
    expect(act).toThrow(message);
    expect(act).toThrow(expect.toSatisfy((error: unknown) => refusalOf(error) !== undefined));
  });
});
