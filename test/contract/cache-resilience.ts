import { kinds, startCache } from '@quartermaster/kube';
import type { ConfigMap } from '@quartermaster/kube/shapes';
import { describe, expect, it, vi } from 'vitest';
import { CacheLedger } from '../support/cache-ledger.ts';
import { serverVersions } from '../support/server-state.ts';
import { cacheFixture, type Data } from './cache-fixture.ts';
import type { ContractServer } from './contract-server.ts';

const soon = { timeout: 20_000, interval: 20 };

/** What a cache goes through without harm, and what it says of itself, on any API server. */
export function describeCacheResilience(server: () => ContractServer): void {
  describe('cache that meets trouble', () => {
    const { start, keep, put } = cacheFixture(server);

    it('goes on when a listener throws, tells the others, and counts it', async () => {
      const namespace = await server().namespace();
      const { cache } = start(namespace);
      cache.subscribe({
        added: () => {
          throw new Error('listener');
        },
      });
      const after = new CacheLedger<Data>();
      cache.subscribe(after);
      await cache.whenSynced();
      await put(namespace, 'a', {});
      await put(namespace, 'b', {});
      await vi.waitFor(() => expect(after.told).toEqual([`added ${namespace}/a`, `added ${namespace}/b`]), soon);
      expect(cache.status().counters.handlerErrors).toBe(2);
    });

    it('loses only the object whose projection throws, and gets it once it can be projected', async () => {
      const namespace = await server().namespace();
      await put(namespace, 'good', {});
      await put(namespace, 'odd', { odd: 'true' });
      const project = (object: ConfigMap): Data => {
        if (object.data?.['odd'] === 'true') throw new Error('odd');
        return object.data ?? {};
      };
      const { cache } = start(namespace, { project });
      await cache.whenSynced();
      expect([...cache.entries()].map(({ key }) => key)).toEqual([`${namespace}/good`]);
      expect(cache.status().counters.handlerErrors).toBe(1);
      await put(namespace, 'odd', { odd: 'no' });
      await vi.waitFor(() => expect(cache.size).toBe(2), soon);
    });

    it('resumes a watch that the server ended without listing again and without losing a change', async () => {
      const namespace = await server().namespace();
      const { cache, ledger } = start(namespace, { watchSeconds: { min: 1, max: 1 } });
      await cache.whenSynced();
      for (let round = 0; cache.status().counters.watches < 3; round += 1)
        await put(namespace, `object-${round % 7}`, { round: String(round) });
      await vi.waitFor(async () => {
        expect(ledger.versions()).toEqual(await versionsWithoutRootCa(namespace));
      }, soon);
      expect(cache.status().counters.lists).toBe(1);
      expect(ledger.contradictions).toEqual([]);
    });

    it('says when the server last spoke and how long ago that was', async () => {
      const namespace = await server().namespace();
      const { cache } = start(namespace);
      await cache.whenSynced();
      await put(namespace, 'a', {});
      await vi.waitFor(() => expect(cache.size).toBe(1), soon);
      const { lastContactAt, staleMs, counters, resourceVersion, lastError } = cache.status();
      expect(Math.abs(Date.now() - (lastContactAt ?? 0))).toBeLessThan(20_000);
      expect(staleMs).toBeGreaterThanOrEqual(0);
      expect(counters).toMatchObject({ lists: 1, watches: 1, events: 1, errors: 0 });
      expect(resourceVersion).toBe(cache.get(`${namespace}/a`)?.resourceVersion);
      expect(lastError).toBeUndefined();
    });

    it('stops listening when stopped and keeps what it had', async () => {
      const namespace = await server().namespace();
      await put(namespace, 'a', {});
      const { cache } = start(namespace);
      const { cache: witness } = start(namespace);
      await Promise.all([cache.whenSynced(), witness.whenSynced()]);
      await cache.stop();
      await put(namespace, 'b', {});
      await vi.waitFor(() => expect(witness.size).toBe(2), soon);
      expect(cache.size).toBe(1);
      expect(cache.status().state).toBe('stopped');
    });

    it('gives up waiting for the sync when the waiter does', async () => {
      const namespace = await server().namespace();
      const cache = keep(
        startCache(server().client, { type: { ...kinds.configMaps, group: 'not.there' }, project: () => ({}), namespace }),
      );
      const controller = new AbortController();
      const waiting = cache.whenSynced(controller.signal);
      controller.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
    });

    async function versionsWithoutRootCa(namespace: string): Promise<string[]> {
      return (await serverVersions(server().client, kinds.configMaps, namespace)).filter(
        (version) => !version.includes('/kube-root-ca.crt@'),
      );
    }
  });
}
