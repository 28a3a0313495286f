import { describe, expect, it } from 'vitest';
import { refusalOf } from '../schema/api-status.ts';
import { schemaOf } from '../schema/built-in-schemas.ts';
import type { Json, JsonObject } from '../schema/json.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const pod = schemaOf('', 'v1', 'Pod') ?? { type: 'any' };
const target = {
  metadata: { finalizers: ['a', 'b'], labels: { x: '1', y: '2' } },
  spec: {
    containers: [
      { name: 'main', image: 'i', env: [{ name: 'A', value: '1' }] },
      { name: 'side', image: 's' },
    ],
    tolerations: [{ key: 'k' }],
    volumes: [{ name: 'v', emptyDir: {} }],
  },
};

function patchSpec(spec: JsonObject): JsonObject {
  return applyStrategicMergePatch(target, { spec }, pod)['spec'] as JsonObject;
}

const names = (list: Json | undefined) => (list as readonly JsonObject[]).map(({ name }) => name);

function refusedWith(patch: Json): number | undefined {
  try {
    applyStrategicMergePatch(target, patch, pod);
    return undefined;
  } catch (error) {
    return refusalOf(error)?.code;
  }
}

describe('a strategic merge patch', () => {
  it('changes the item with the same key and leaves the others', () => {
    expect(patchSpec({ containers: [{ name: 'main', image: 'new' }] })['containers']).toEqual([
      { name: 'main', image: 'new', env: [{ name: 'A', value: '1' }] },
      { name: 'side', image: 's' },
    ]);
  });

  it('puts a new item in front of those that it does not name', () => {
    expect(names(patchSpec({ containers: [{ name: 'new' }] })['containers'])).toEqual(['new', 'main', 'side']);
  });

  it('deletes an item, and replaces a list, by directive', () => {
    expect(names(patchSpec({ containers: [{ name: 'main', $patch: 'delete' }] })['containers'])).toEqual(['side']);
    expect(names(patchSpec({ containers: [{ name: 'only' }, { $patch: 'replace' }] })['containers'])).toEqual(['only']);
  });

  it('replaces a list that has no merge key', () => {
    expect(patchSpec({ tolerations: [{ key: 'z' }] })['tolerations']).toEqual([{ key: 'z' }]);
  });

  it('orders a list as told', () => {
    expect(names(patchSpec({ '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }] })['containers'])).toEqual([
      'side',
      'main',
    ]);
  });

  it('drops the fields of an item that are not retained', () => {
    const volume = { name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } };
    expect(patchSpec({ volumes: [volume] })['volumes']).toEqual([{ name: 'v', hostPath: { path: '/x' } }]);
  });

  it('merges and removes values of a list of texts', () => {
    const merge = (metadata: JsonObject) => applyStrategicMergePatch(target, { metadata }, pod)['metadata'] as JsonObject;
    expect(merge({ finalizers: ['c', 'a'] })['finalizers']).toEqual(['c', 'a', 'b']);
    expect(merge({ '$deleteFromPrimitiveList/finalizers': ['a'] })['finalizers']).toEqual(['b']);
    expect(merge({ labels: { $patch: 'replace', z: '3' } })['labels']).toEqual({ z: '3' });
    expect(merge({ labels: { x: null } })['labels']).toEqual({ y: '2' });
  });

  it('takes over something new without its nulls and directives', () => {
    expect(patchSpec({ nodeSelector: { a: 'b', c: null } })['nodeSelector']).toEqual({ a: 'b' });
    expect(patchSpec({ initContainers: [{ name: 'i' }, { name: 'j', $patch: 'delete' }] })['initContainers']).toEqual([{ name: 'i' }]);
  });

  it('leaves its target as it was', () => {
    const before = structuredClone(target);
    patchSpec({ containers: [{ name: 'main', $patch: 'delete' }, { name: 'new' }] });
    expect(target).toEqual(before);
  });

  it.each<[number, Json]>([
    [400, 'text'],
    [400, []],
    [400, { metadata: { labels: { $retainKeys: ['x'], q: '1' } } }],
    [500, { metadata: { $patch: 'explode' } }],
    [500, { spec: { containers: [{ image: 'x' }] } }],
    [500, { spec: { containers: [{ $patch: 'delete' }] } }],
    [500, { spec: { containers: [{ name: 'main', $patch: 'merge' }] } }],
    [500, { spec: { '$setElementOrder/containers': [{ name: 'side' }], containers: [{ name: 'main' }] } }],
    [500, { spec: { '$setElementOrder/containers': 'main' } }],
  ])('is refused with %d when it is %j', (code, patch) => {
    expect(refusedWith(patch)).toBe(code);
  });
});
