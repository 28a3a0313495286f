import { seededRandom } from '@quartermaster/kernel';
import { type Cache, type CacheOptions, KubeClient, kinds, startCache } from '@quartermaster/kube';
import type { ConfigMap } from '@quartermaster/kube/shapes';
import { expect, vi } from 'vitest';
import { CacheLedger } from './cache-ledger.ts';
import { serverVersions } from './server-state.ts';

type Data = Readonly<Record<string, string>>;

/** A cache of config maps under a fault, with a ledger of all it told. */
export interface FaultyCache {
  readonly cache: Cache<Data>;
  readonly ledger: CacheLedger<Data>;
  /** Waits until cache and ledger hold exactly what the server holds, and fails if anything told contradicts itself. */
  expectToMatch(client: KubeClient): Promise<void>;
  stop(): Promise<void>;
}

export async function startFaultyCache(
  kubeconfig: string,
  namespace: string,
  options: Partial<CacheOptions<ConfigMap, Data>> & { readonly reloadIntervalMs?: number } = {},
): Promise<FaultyCache> {
  const { reloadIntervalMs = 10_000, ...cacheOptions } = options;
  const client = await KubeClient.connect({ kubeconfig, reloadIntervalMs });
  const cache = startCache<ConfigMap, Data>(client, {
    type: kinds.configMaps,
    project: (object) => object.data ?? {},
    namespace,
    random: seededRandom(7),
    backoff: { firstMs: 50, maxMs: 500, factor: 2 },
    ...cacheOptions,
  });
  const ledger = new CacheLedger<Data>();
  cache.subscribe(ledger);
  return {
    cache,
    ledger,
    expectToMatch: async (admin) => {
      await vi.waitFor(
        async () => {
          const expected = await serverVersions(admin, kinds.configMaps, namespace);
          expect(ledger.versions()).toEqual(expected);
          expect([...cache.entries()].map(({ key, resourceVersion }) => `${key}@${resourceVersion}`).sort()).toEqual(expected);
        },
        { timeout: 60_000, interval: 100 },
      );
      expect(ledger.contradictions).toEqual([]);
    },
    stop: async () => {
      await cache.stop();
      await client.close();
    },
  };
}
