import type { Clock } from '@quartermaster/kernel';
import { type Cache, type CacheEntry, type KubeObject, keyText } from '@quartermaster/kube';
import { isOlder } from '../model/object-version.ts';

interface Written<P> extends CacheEntry<P> {
  readonly until: number;
}

export interface WrittenCacheOptions<T extends KubeObject, P> {
  readonly cache: Cache<P>;
  readonly project: (object: T) => P;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** By which entries are found together, as the index of this name has them. */
  readonly group: { readonly index: string; readonly of: (entry: Pick<CacheEntry<P>, 'key' | 'value'>) => string };
}

/** What a watch has not shown after this is taken to have come and gone between two lists. */
const keptMs = 10_000;

/**
 * What is followed of a kind, with what this process has written at once: whoever looks again before the watch has caught up would otherwise write it twice.
 */
export class WrittenCache<T extends KubeObject, P> {
  readonly #options: WrittenCacheOptions<T, P>;
  readonly #written = new Map<string, Written<P>>();
  readonly #groups = new Map<string, Set<string>>(); // group -> keys of what was written

  constructor(options: WrittenCacheOptions<T, P>) {
    this.#options = options;
    const seen = (entry: CacheEntry<P>): void => this.#seen(entry);
    options.cache.subscribe({ added: seen, updated: seen, deleted: ({ key, uid }) => this.forget(key, uid) });
  }

  get(key: string): CacheEntry<P> | undefined {
    return this.#recent(key) ?? this.#options.cache.get(key);
  }

  in(group: string): readonly CacheEntry<P>[] {
    const seen = this.#options.cache.byIndex(this.#options.group.index, group);
    const keys = this.#groups.get(group);
    if (keys === undefined) return seen;
    const written = [...keys].flatMap((key) => this.#recent(key) ?? []);
    const hidden = new Set(written.map(({ key }) => key));
    return [...seen.filter(({ key }) => !hidden.has(key)), ...written];
  }

  all(): readonly CacheEntry<P>[] {
    const written = [...this.#written.keys()].flatMap((key) => this.#recent(key) ?? []);
    return [...[...this.#options.cache.entries()].filter(({ key }) => !this.#written.has(key)), ...written];
  }

  /** An answer of the server. */
  wrote(object: T): P {
    const { cache, project, clock, group } = this.#options;
    const { namespace, name = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
    const key = keyText(namespace === undefined ? { name } : { namespace, name });
    const value = project(object);
    const entry = { key, uid, resourceVersion, value, until: clock.monotonic() + keptMs };
    this.#drop(key);
    this.#written.set(key, entry);
    const of = group.of(entry);
    this.#groups.set(of, (this.#groups.get(of) ?? new Set()).add(key));
    const seen = cache.get(key);
    if (seen !== undefined) this.#seen(seen);
    return value;
  }

  /** It is gone, or on its way. */
  forget(key: string, uid: string): void {
    if (this.#written.get(key)?.uid === uid) this.#drop(key);
  }

  #recent(key: string): CacheEntry<P> | undefined {
    const written = this.#written.get(key);
    if (written === undefined || written.until > this.#options.clock.monotonic()) return written;
    this.#drop(key);
    return undefined;
  }

  /** The watch has caught up with what was written. */
  #seen({ key, resourceVersion }: CacheEntry<P>): void {
    const own = this.#written.get(key)?.resourceVersion;
    if (own === undefined) return;
    if (!isOlder({ resourceVersion }, { resourceVersion: own })) this.#drop(key);
  }

  #drop(key: string): void {
    const written = this.#written.get(key);
    if (written === undefined) return;
    this.#written.delete(key);
    const of = this.#options.group.of(written);
    const keys = this.#groups.get(of);
    keys?.delete(key);
    if (keys?.size === 0) this.#groups.delete(of);
  }
}
