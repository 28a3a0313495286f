import { describe, expect, it } from 'vitest';
import { schemaOf } from '../schema/built-in-schemas.ts';
import { crdSchema } from '../schema/crd-schema.ts';
import type { JsonObject } from '../schema/json.ts';
import type { ManagedWrite } from './api.ts';
import { ownableFields } from './ownable-fields.ts';
import { recordUpdate } from './record-update.ts';

const configMap = schemaOf('', 'v1', 'ConfigMap') ?? { type: 'any' };
const pod = schemaOf('', 'v1', 'Pod') ?? { type: 'any' };
const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T00:00:00Z`;
const write = (live: JsonObject | undefined, more: Partial<ManagedWrite> = {}): ManagedWrite => ({
  live,
  schema: configMap,
  manager: 'hand',
  apiVersion: 'v1',
  now: day(1),
  ...more,
});
const stored = (object: JsonObject): JsonObject => ({ ...object, metadata: { ...(object['metadata'] as JsonObject), uid: 'u' } });
const ownersOf = (object: JsonObject) => ((object['metadata'] as JsonObject)['managedFields'] ?? []) as readonly JsonObject[];
const fieldsOf = (object: JsonObject) => Object.fromEntries(ownersOf(object).map(({ manager, fieldsV1 }) => [String(manager), fieldsV1]));

describe('an update', () => {
  const created = stored(recordUpdate(write(undefined), { metadata: { name: 'x', labels: { l: '1' } }, data: { a: '1', b: '1' } }));

  it('that creates owns everything but the identity', () => {
    expect(fieldsOf(created)).toEqual({
      hand: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } } },
    });
  });

  it('owns of a built-in kind no part that every object of it has', () => {
    const object = recordUpdate(write(undefined, { schema: pod }), {
      metadata: { name: 'x' },
      spec: { containers: [{ name: 'c' }] },
      status: {},
    });
    expect(fieldsOf(object)).toEqual({
      hand: { 'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:name': {}, 'f:resources': {} } } } },
    });
  });

  it('owns of a custom resource every part', () => {
    const schema = crdSchema({ type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } } });
    expect(fieldsOf(recordUpdate(write(undefined, { schema }), { spec: { a: '1' } }))).toEqual({
      hand: { 'f:spec': { '.': {}, 'f:a': {} } },
    });
  });

  it('takes what it changes from other managers, and only that', () => {
    const changed = recordUpdate(write(created, { manager: 'other', now: day(2) }), { ...created, data: { a: '2', b: '1' } });
    expect(fieldsOf(changed)).toMatchObject({ hand: { 'f:data': { '.': {}, 'f:b': {} } }, other: { 'f:data': { 'f:a': {} } } });
    expect(ownersOf(changed).map(({ time }) => time)).toEqual([day(1), day(2)]);
  });

  it('that changes nothing leaves owners and times', () => {
    expect(recordUpdate(write(created, { manager: 'other', now: day(2) }), created)).toEqual(created);
  });

  it('drops managers that own nothing any more', () => {
    const { data: _, ...rest } = created;
    const removed = recordUpdate(write(created, { manager: 'other' }), { ...rest, metadata: { name: 'x', uid: 'u' } });
    expect(ownersOf(removed)).toEqual([]);
  });

  it('without a name is of the manager unknown', () => {
    expect(ownersOf(recordUpdate(write(undefined, { manager: '' }), { data: { a: '1' } }))[0]).toMatchObject({ manager: 'unknown' });
  });

  it('may clear the owners, who then stay unknown', () => {
    const cleared = recordUpdate(write(created), { ...created, metadata: { name: 'x', uid: 'u', managedFields: [] } });
    expect(ownersOf(cleared)).toEqual([]);
    expect(ownersOf(recordUpdate(write(cleared), { ...cleared, data: { z: '1' } }))).toEqual([]);
  });

  it('keeps the stored owners when it sends none, or some that make no sense', () => {
    const metadata = { name: 'x', uid: 'u', labels: { l: '1' } };
    expect(fieldsOf(recordUpdate(write(created), { ...created, metadata }))).toEqual(fieldsOf(created));
    const nonsense = { ...metadata, managedFields: [{ operation: 'Guess' }] };
    expect(fieldsOf(recordUpdate(write(created), { ...created, metadata: nonsense }))).toEqual(fieldsOf(created));
  });

  it('of the status has an entry of its own and owns nothing else', () => {
    const ownable = ownableFields({ hasStatus: true, isCustom: false }, 'status');
    const live = { metadata: { name: 'x', uid: 'u', managedFields: ownersOf(created) }, spec: { containers: [] } };
    const settings = { schema: pod, subresource: 'status', ...(ownable === undefined ? {} : { ownable }) };
    const object = recordUpdate(write(live, settings), { ...live, spec: { nodeName: 'n' }, status: { phase: 'Running' } });
    expect(ownersOf(object)).toContainEqual(
      expect.objectContaining({ subresource: 'status', fieldsV1: { 'f:status': { 'f:phase': {} } } }),
    );
  });
});
