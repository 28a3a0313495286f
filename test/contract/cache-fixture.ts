import { seededRandom } from '@quartermaster/kernel';
import { type Cache, type CacheOptions, kinds, startCache } from '@quartermaster/kube';
import type { ConfigMap } from '@quartermaster/kube/shapes';
import { afterEach } from 'vitest';
import { CacheLedger } from '../support/cache-ledger.ts';
import type { ContractServer } from './contract-server.ts';

export type Data = Readonly<Record<string, string>>;

/** Caches of config maps that end with their test, and the writes that they should show. */
export interface CacheFixture {
  start(
    namespace: string,
    options?: Partial<CacheOptions<ConfigMap, Data>>,
  ): { readonly cache: Cache<Data>; readonly ledger: CacheLedger<Data> };
  /** Ends with the test as well. */
  keep<C extends { stop(): Promise<void> }>(cache: C): C;
  put(namespace: string, name: string, data: Data, labels?: Data): Promise<ConfigMap>;
  remove(namespace: string, name: string): Promise<void>;
}

/** To be called inside a describe. */
export function cacheFixture(server: () => ContractServer): CacheFixture {
  const running: { stop(): Promise<void> }[] = [];
  const keep = <C extends { stop(): Promise<void> }>(cache: C): C => {
    running.push(cache);
    return cache;
  };
  afterEach(async () => {
    await Promise.all(running.splice(0).map((cache) => cache.stop()));
  });
  return {
    keep,
    start: (namespace, options = {}) => {
      const cache = keep(
        startCache<ConfigMap, Data>(server().client, {
          type: kinds.configMaps,
          project: (object) => object.data ?? {},
          namespace,
          // The controllers put this one into every namespace.
          fieldSelector: 'metadata.name!=kube-root-ca.crt',
          random: seededRandom(1),
          ...options,
        }),
      );
      const ledger = new CacheLedger<Data>();
      cache.subscribe(ledger);
      return { cache, ledger };
    },
    put: (namespace, name, data, labels = {}) =>
      server().client.apply(kinds.configMaps, { metadata: { namespace, name, labels }, data }, { fieldManager: 'suite', force: true }),
    remove: (namespace, name) => server().client.delete(kinds.configMaps, { namespace, name }),
  };
}
