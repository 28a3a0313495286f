import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServedKind } from '../kinds/served-kind.ts';
import type { Json, JsonObject } from '../object/api-object.ts';
import { SharedParts } from '../store/shared-parts.ts';
import { ObjectEncoder } from './object-encoder.ts';

const pods: ServedKind = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  listKind: 'PodList',
  namespaced: true,
  verbs: [],
  shortNames: [],
  categories: [],
  subresources: [],
  schema: { type: 'object' },
  storageKey: '/pods',
};

const anyObject = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>) as fc.Arbitrary<JsonObject>;
const pod = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image: 'web "1"' }] },
});

describe('ObjectEncoder', () => {
  it('writes any object as JSON does, whether its parts are shared or not', () => {
    fc.assert(
      fc.property(anyObject, (object) => {
        const parts = new SharedParts();
        const encoder = new ObjectEncoder(parts);
        expect(encoder.text(object)).toBe(JSON.stringify(object));
        expect(encoder.text(parts.shareAll(object))).toBe(JSON.stringify(object));
      }),
    );
  });

  it('writes an event out once for all watchers', () => {
    const encoder = new ObjectEncoder(new SharedParts());
    const object = pod('a');
    const line = encoder.line(pods, 'ADDED', object);
    expect(encoder.line(pods, 'ADDED', object)).toBe(line);
    expect(encoder.line(pods, 'MODIFIED', object)).not.toBe(line);
    expect(JSON.parse(line.toString())).toEqual({ type: 'ADDED', object });
  });

  it('remembers recent events only', () => {
    const encoder = new ObjectEncoder(new SharedParts());
    const first = pod('first');
    const line = encoder.line(pods, 'ADDED', first);
    for (let count = 0; count < 2000; count += 1) encoder.line(pods, 'ADDED', pod(`pod-${count}`));
    expect(encoder.line(pods, 'ADDED', first)).not.toBe(line);
    expect(encoder.line(pods, 'ADDED', first)).toEqual(line);
  });
});

describe('SharedParts', () => {
  it('keeps a part once that two objects have, and leaves both as they were', () => {
    const parts = new SharedParts();
    const [first, second] = [parts.share(pod('a')), parts.share(pod('b'))];
    const third = parts.share(pod('c'));
    expect([first, second, third]).toEqual([pod('a'), pod('b'), pod('c')]);
    const labels = [first, second, third].map(({ metadata }) => (metadata as JsonObject)['labels']);
    expect(labels[1]).toBe(labels[0]);
    expect(labels[2]).toBe(labels[0]);
  });

  it('knows the JSON of shared parts alone', () => {
    const parts = new SharedParts();
    const labelsOf = ({ metadata }: JsonObject): JsonObject => (metadata as JsonObject)['labels'] as JsonObject;
    const alone = parts.share(pod('a'));
    expect(parts.bytesOf(labelsOf(alone))).toBeUndefined();
    expect(parts.bytesOf(labelsOf(parts.share(pod('b'))))?.toString()).toBe('{"app":"web"}');
  });

  it('never makes equal what is not', () => {
    fc.assert(
      fc.property(fc.array(anyObject, { maxLength: 8 }), (objects) => {
        const parts = new SharedParts();
        const copies = structuredClone(objects);
        expect(objects.map((object) => parts.share(object))).toEqual(copies);
        expect(objects.map((object) => parts.share(object))).toEqual(copies);
      }),
    );
  });
});
