import type { Cache, CacheOptions, FieldSelection, KubeObject } from '@quartermaster/kube';
import { degraded, healthy } from '@quartermaster/service';
import type { RoleHost } from './role-host.ts';

/** A cache that is not being followed right now. */
export interface StaleCache {
  readonly source: string;
  readonly lastContactAt: number | undefined;
  readonly reason: string;
}

type Environment = Pick<RoleHost, 'kubernetes' | 'clock' | 'random' | 'log' | 'health' | 'metrics' | 'prefix' | 'keep'>;

/** The caches of a role. Reconcilers that want the same objects in the same form share one. Whether one is stale is the same for all. */
export class RoleCaches {
  readonly #host: Environment;
  readonly #opened = new Map<object, Promise<Pick<Cache<unknown>, 'status'>>>(); // declaration -> cache
  readonly #caches: { readonly name: string; readonly cache: Pick<Cache<unknown>, 'status'>; readonly reason: () => string | undefined }[] =
    [];

  constructor(host: Environment) {
    this.#host = host;
  }

  /** Starts the cache that these options describe, or returns the one that the same object described before. It is stopped with the role. */
  async open<T extends KubeObject, P, const F extends FieldSelection<T> = true>(options: CacheOptions<T, P, F>): Promise<Cache<P>> {
    const opened = this.#opened.get(options) ?? this.#start(options);
    this.#opened.set(options, opened);
    // What a declaration projects to does not change.
    return (await opened) as Cache<P>;
  }

  async #start<T extends KubeObject, P, const F extends FieldSelection<T>>(options: CacheOptions<T, P, F>): Promise<Cache<P>> {
    const { clock, random, log, keep } = this.#host;
    const { plural } = options.type;
    const [client, { staleReason, startCache }] = await Promise.all([this.#host.kubernetes(), import('@quartermaster/kube')]);
    const cache = startCache(client, { clock, random, log, ...options });
    if (this.#caches.length === 0) this.#show();
    this.#caches.push({ name: plural, cache, reason: () => staleReason(cache.status()) });
    keep(`cache of ${plural}`, () => cache.stop());
    return cache;
  }

  /** What is not being followed right now. */
  stale(): readonly StaleCache[] {
    return this.#caches.flatMap(({ name, cache, reason: reasonOf }) => {
      const reason = reasonOf();
      return reason === undefined ? [] : [{ source: name, lastContactAt: cache.status().lastContactAt, reason }];
    });
  }

  #show(): void {
    const { health, metrics, prefix, keep } = this.#host;
    const remove = health.register('caches', 'ready', () => {
      const names = this.stale().map(({ source, reason }) => `${source} (${reason})`);
      return names.length === 0 ? healthy : degraded(`out of reach: ${names.join(', ')}`);
    });
    const end = metrics.collectGauge(
      { name: 'quartermaster_stale_caches', help: 'Kinds of objects whose cache is stale.', labels: ['role', 'kind'] },
      () => this.stale().map(({ source }) => ({ labels: { role: prefix, kind: source }, value: 1 })),
    );
    keep('checks of caches', () => {
      remove();
      end();
    });
  }
}
