import { kinds, startCache } from '@quartermaster/kube';
import { describe, expect, it, vi } from 'vitest';
import { CacheLedger } from '../support/cache-ledger.ts';
import { cacheFixture, type Data } from './cache-fixture.ts';
import type { ContractServer } from './contract-server.ts';

const soon = { timeout: 20_000, interval: 20 };

/** What a cache holds and tells, on any API server. */
export function describeCache(server: () => ContractServer): void {
  describe('cache', () => {
    const { start, keep, put, remove } = cacheFixture(server);

    it('holds every object exactly once after the first sync, also when the list has several pages', async () => {
      const namespace = await server().namespace();
      const names = Array.from({ length: 230 }, (_, index) => `object-${index}`);
      await Promise.all(names.map((name) => put(namespace, name, { name })));
      const { cache, ledger } = start(namespace);
      await cache.whenSynced();
      expect(new Set([...cache.entries()].map(({ value }) => value['name']))).toEqual(new Set(names));
      expect(ledger.contradictions).toEqual([]);
      expect(cache.size).toBe(230);
    });

    it('is not synced before the first list, and tells so', async () => {
      const namespace = await server().namespace();
      const { cache } = start(namespace);
      expect(cache.status()).toMatchObject({ synced: false, state: 'listing', lastContactAt: undefined, staleMs: undefined });
      await cache.whenSynced();
      expect(cache.status()).toMatchObject({ synced: true, objects: 0 });
    });

    it('tells additions, changes and deletions in the order in which they happened', async () => {
      const namespace = await server().namespace();
      const { cache, ledger } = start(namespace);
      await cache.whenSynced();
      await put(namespace, 'a', { x: '1' });
      await put(namespace, 'b', { x: '1' });
      await put(namespace, 'a', { x: '2' });
      await remove(namespace, 'b');
      await vi.waitFor(() => {
        expect(ledger.told).toEqual(['added', 'added', 'updated', 'deleted'].map((what, i) => `${what} ${namespace}/${'abab'[i]}`));
      }, soon);
      expect(ledger.contradictions).toEqual([]);
    });

    it('keeps only what the projection returns', async () => {
      const namespace = await server().namespace();
      await put(namespace, 'a', { x: '1' }, { big: 'label' });
      const { cache } = start(namespace);
      await cache.whenSynced();
      expect(cache.get(`${namespace}/a`)).toEqual({
        key: `${namespace}/a`,
        uid: expect.any(String) as string,
        resourceVersion: expect.any(String) as string,
        value: { x: '1' },
      });
    });

    it('shows the newest version of an object in get', async () => {
      const namespace = await server().namespace();
      const { cache } = start(namespace);
      await cache.whenSynced();
      await put(namespace, 'a', { x: '1' });
      const last = await put(namespace, 'a', { x: '2' });
      await vi.waitFor(() => expect(cache.get(`${namespace}/a`)?.resourceVersion).toBe(last.metadata?.resourceVersion), soon);
      expect(cache.get(`${namespace}/a`)?.value).toEqual({ x: '2' });
    });

    it('says nothing of a write that changed nothing', async () => {
      const namespace = await server().namespace();
      const { cache, ledger } = start(namespace);
      await cache.whenSynced();
      await put(namespace, 'a', { x: '1' });
      await put(namespace, 'a', { x: '1' });
      await put(namespace, 'end', {});
      await vi.waitFor(() => expect(cache.size).toBe(2), soon);
      expect(ledger.told).toEqual([`added ${namespace}/a`, `added ${namespace}/end`]);
    });

    it('tells a recreated object as deleted and added, with its new uid', async () => {
      const namespace = await server().namespace();
      const first = await put(namespace, 'a', {});
      const { cache, ledger } = start(namespace);
      await cache.whenSynced();
      await remove(namespace, 'a');
      const second = await put(namespace, 'a', {});
      await vi.waitFor(() => expect(cache.get(`${namespace}/a`)?.uid).toBe(second.metadata?.uid), soon);
      expect(second.metadata?.uid).not.toBe(first.metadata?.uid);
      expect(ledger.told).toEqual(['added', 'deleted', 'added'].map((what) => `${what} ${namespace}/a`));
    });

    it('shows a deletion that waits for finalizers as a change first', async () => {
      const namespace = await server().namespace();
      const finalizers = ['quartermaster.dev/test'];
      await server().client.create(kinds.configMaps, { metadata: { namespace, name: 'a', finalizers } });
      const { cache, ledger } = start(namespace);
      await cache.whenSynced();
      await remove(namespace, 'a');
      await vi.waitFor(() => expect(ledger.told.at(-1)).toBe(`updated ${namespace}/a`), soon);
      await server().client.patch(kinds.configMaps, { namespace, name: 'a' }, { kind: 'merge', body: { metadata: { finalizers: null } } });
      await vi.waitFor(() => expect(ledger.told.at(-1)).toBe(`deleted ${namespace}/a`), soon);
      expect(cache.size).toBe(0);
    });

    it('finds entries by index as they come, change and go', async () => {
      const namespace = await server().namespace();
      const { cache } = start(namespace, { indexes: { colour: ({ value }) => (value['colour'] === undefined ? [] : [value['colour']]) } });
      await cache.whenSynced();
      const named = (colour: string): string[] => cache.byIndex('colour', colour).map(({ key }) => key.split('/')[1] ?? '');
      await put(namespace, 'a', { colour: 'red' });
      await put(namespace, 'b', { colour: 'red' });
      await put(namespace, 'none', {});
      await vi.waitFor(() => expect(named('red').sort()).toEqual(['a', 'b']), soon);
      await put(namespace, 'a', { colour: 'blue' });
      await remove(namespace, 'b');
      await vi.waitFor(() => expect([named('red'), named('blue')]).toEqual([[], ['a']]), soon);
    });

    it('refuses an index that it does not have, naming those it has', async () => {
      const { cache } = start(await server().namespace(), { indexes: { colour: () => [] } });
      expect(() => cache.byIndex('color', 'red')).toThrow('no index "color": this cache has colour');
    });

    it('tells a late listener of what is there, and nobody who has left', async () => {
      const namespace = await server().namespace();
      await put(namespace, 'a', {});
      const { cache } = start(namespace);
      await cache.whenSynced();
      const late = new CacheLedger<Data>();
      const leave = cache.subscribe(late);
      expect(late.told).toEqual([`added ${namespace}/a`]);
      leave();
      await put(namespace, 'b', {});
      await vi.waitFor(() => expect(cache.size).toBe(2), soon);
      expect(late.told).toEqual([`added ${namespace}/a`]);
    });

    it('holds one namespace, or all of them', async () => {
      const [one, other] = [await server().namespace(), await server().namespace()];
      await put(one, 'mine', {});
      await put(other, 'theirs', {});
      const { cache } = start(one);
      const all = keep(startCache(server().client, { type: kinds.configMaps, project: () => ({}) }));
      await Promise.all([cache.whenSynced(), all.whenSynced()]);
      expect([...cache.entries()].map(({ key }) => key)).toEqual([`${one}/mine`]);
      expect(all.get(`${one}/mine`)).toBeDefined();
      expect(all.get(`${other}/theirs`)).toBeDefined();
    });

    it('holds cluster-scoped objects under their bare name', async () => {
      const name = await server().namespace();
      const cache = keep(startCache(server().client, { type: kinds.namespaces, project: (object) => object.metadata?.name }));
      await cache.whenSynced();
      expect(cache.get(name)?.value).toBe(name);
    });

    it('tells an object that no longer matches the label selector as deleted, and back as added', async () => {
      const namespace = await server().namespace();
      await put(namespace, 'a', {}, { tier: 'gold' });
      const { cache, ledger } = start(namespace, { labelSelector: 'tier=gold' });
      await cache.whenSynced();
      await put(namespace, 'a', {}, { tier: 'tin' });
      await vi.waitFor(() => expect(cache.size).toBe(0), soon);
      await put(namespace, 'a', {}, { tier: 'gold' });
      await vi.waitFor(() => expect(cache.size).toBe(1), soon);
      expect(ledger.told).toEqual(['added', 'deleted', 'added'].map((what) => `${what} ${namespace}/a`));
    });

    it('respects a field selector in list and watch', async () => {
      const namespace = await server().namespace();
      await put(namespace, 'wanted', { x: '1' });
      await put(namespace, 'other', {});
      const { cache, ledger } = start(namespace, { fieldSelector: 'metadata.name=wanted' });
      await cache.whenSynced();
      await put(namespace, 'other', { y: '1' });
      await put(namespace, 'wanted', { x: '2' });
      await vi.waitFor(() => expect(cache.get(`${namespace}/wanted`)?.value).toEqual({ x: '2' }), soon);
      expect(ledger.told).toEqual([`added ${namespace}/wanted`, `updated ${namespace}/wanted`]);
    });
  });
}
