import { kinds, resourceType } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { MemoryCache } from '../../test/memory-cache.ts';
import { ownedSource, sourceOf } from './cache-source.ts';
import type { OwnerReference } from './owner-references.ts';

const widgets = resourceType({ group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true });
const racks = resourceType({ group: 'example.com', version: 'v1', kind: 'Rack', plural: 'racks', namespaced: false });

const reference = (changes: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  name: 'w',
  uid: 'u',
  controller: true,
  ...changes,
});

function follow(owner = widgets) {
  const cache = new MemoryCache<OwnerReference | undefined>();
  const keys: string[] = [];
  const failed: string[] = [];
  const source = ownedSource(cache, owner, (value) => value);
  source.subscribe({ key: (key) => keys.push(key), failed: (key) => failed.push(key) });
  return { cache, keys, failed, source };
}

describe('ownedSource', () => {
  it('brings the key of the owner when an owned object appears, changes and goes', () => {
    const { cache, keys } = follow();
    cache.put('default/part', reference());
    expect(keys.splice(0)).toEqual(['default/w']);
    cache.put('default/part', reference());
    expect(new Set(keys.splice(0))).toEqual(new Set(['default/w']));
    cache.remove('default/part');
    expect(keys).toEqual(['default/w']);
  });

  it('wakes both owners when an object moves from one to another', () => {
    const { cache, keys } = follow();
    cache.put('default/part', reference());
    cache.put('default/part', reference({ name: 'other' }));
    expect(keys).toEqual(['default/w', 'default/w', 'default/other']);
  });

  it.each([
    ['no owner', undefined],
    ['an owner of another kind', reference({ kind: 'Gadget' })],
    ['a kind of the same name in another group', reference({ apiVersion: 'example.org/v1' })],
    ['a kind of the same name in the core group', reference({ apiVersion: 'v1' })],
  ])('has no key for %s', (_, value) => {
    const { cache, keys, failed } = follow();
    cache.put('default/part', value);
    expect([keys, failed]).toEqual([[], []]);
  });

  it('takes any version of the owner for the same object', () => {
    const { cache, keys } = follow();
    cache.put('default/part', reference({ apiVersion: 'example.com/v1beta1' }));
    expect(keys).toEqual(['default/w']);
  });

  it('knows owners of the core group', () => {
    const cache = new MemoryCache<OwnerReference | undefined>();
    cache.put('default/part', reference({ apiVersion: 'v1', kind: 'ConfigMap' }));
    const keys: string[] = [];
    ownedSource(cache, kinds.configMaps, (value) => value).visitAll({ key: (key) => keys.push(key), failed: () => {} });
    expect(keys).toEqual(['default/w']);
  });

  it('names a cluster-scoped owner without a namespace, of objects in namespaces and of those outside', () => {
    const { cache, keys } = follow(racks);
    cache.put('default/part', reference({ kind: 'Rack', name: 'r1' }));
    cache.put('node-1', reference({ kind: 'Rack', name: 'r2' }));
    expect(keys).toEqual(['r1', 'r2']);
  });

  it('has no key for a cluster-scoped object that names an owner in a namespace: such a reference means nothing', () => {
    const { cache, keys, failed } = follow();
    cache.put('node-1', reference());
    expect([keys, failed]).toEqual([[], []]);
  });
});

describe('sourceOf', () => {
  it('tells of the object whose keys could not be found, and goes on with the others', () => {
    const cache = new MemoryCache<string>();
    cache.put('a', 'bad');
    cache.put('b', 'good');
    const told: string[] = [];
    const keys = ({ value }: { readonly value: string }): string[] => {
      if (value === 'bad') throw new Error('bad');
      return [value];
    };
    sourceOf(cache, keys).subscribe({ key: (key) => told.push(key), failed: (key) => told.push(`failed ${key}`) });
    expect(told).toEqual(['failed a', 'good']);
  });
});
