import type { Cache, CacheOpener, CacheOptions, FieldSelection, KubeObject, StaleCache } from '@quartermaster/kube';
import { degraded, healthy } from '@quartermaster/service';
import type { RoleHost } from './role-host.ts';

type Environment = Pick<RoleHost, 'kubernetes' | 'clock' | 'random' | 'log' | 'health' | 'metrics' | 'prefix' | 'keep'>;

/** The caches of a role. Reconcilers that want the same objects in the same form share one. Whether one is stale is the same for all. */
export class RoleCaches {
  readonly #host: Environment;
  readonly #opened = new Map<object, Promise<Pick<Cache<unknown>, 'stale'>>>(); // declaration -> cache
  readonly #caches: Pick<Cache<unknown>, 'stale'>[] = [];
  #opener: Promise<CacheOpener> | undefined;

  constructor(host: Environment) {
    this.#host = host;
  }

  /** Starts the cache that these options describe, or returns the one that the same object described before. It is stopped with the role. */
  async open<T extends KubeObject, P, const F extends FieldSelection<T> = true>(options: CacheOptions<T, P, F>): Promise<Cache<P>> {
    const opened = this.#opened.get(options) ?? this.opener().then((opener) => opener.open(options));
    this.#opened.set(options, opened);
    // What a declaration projects to does not change.
    return (await opened) as Cache<P>;
  }

  /** For a part that opens its own. Each is a cache of the role as any other, and is stopped with the role unless the part stopped it before. */
  opener(): Promise<CacheOpener> {
    this.#opener ??= this.#connect();
    return this.#opener;
  }

  async #connect(): Promise<CacheOpener> {
    const { clock, random, log, keep } = this.#host;
    const [client, { cacheOpener }] = await Promise.all([this.#host.kubernetes(), import('@quartermaster/kube')]);
    const opener = cacheOpener(client, { clock, random, log });
    return {
      open: (options) => {
        const cache = opener.open(options);
        if (this.#caches.length === 0) this.#show();
        this.#caches.push(cache);
        keep(`cache of ${options.name ?? options.type.plural}`, () => cache.stop());
        return cache;
      },
    };
  }

  /** What is not being followed right now. */
  #stale(): readonly StaleCache[] {
    return this.#caches.flatMap((cache) => cache.stale() ?? []);
  }

  #show(): void {
    const { health, metrics, prefix, keep } = this.#host;
    const remove = health.register('caches', 'ready', () => {
      const names = this.#stale().map(({ source, reason }) => `${source} (${reason})`);
      return names.length === 0 ? healthy : degraded(`out of reach: ${names.join(', ')}`);
    });
    const end = metrics.collectGauge(
      { name: 'quartermaster_stale_caches', help: 'Caches that are not being followed right now.', labels: ['role', 'cache'] },
      () => this.#stale().map(({ source }) => ({ labels: { role: prefix, cache: source }, value: 1 })),
    );
    keep('checks of caches', () => {
      remove();
      end();
    });
  }
}
