import type { CacheEntry, CacheListener, CacheStatus, ObjectKeyText, ReadableCache } from '@quartermaster/kube';

/** A cache that a test fills by hand. */
export class MemoryCache<P> implements ReadableCache<P> {
  readonly #entries = new Map<ObjectKeyText, CacheEntry<P>>(); // key -> entry
  readonly #listeners = new Set<CacheListener<P>>();
  readonly #synced = Promise.withResolvers<void>();
  #isSynced = false;
  #version = 0;

  get listeners(): number {
    return this.#listeners.size;
  }

  put(key: ObjectKeyText, value: P): void {
    const before = this.#entries.get(key);
    this.#version += 1;
    const entry = { key, uid: `uid-of-${key}`, resourceVersion: String(this.#version), value };
    this.#entries.set(key, entry);
    for (const listener of this.#listeners) {
      if (before === undefined) listener.added?.(entry);
      else listener.updated?.(entry, before);
    }
  }

  remove(key: ObjectKeyText): void {
    const before = this.#entries.get(key);
    this.#entries.delete(key);
    if (before !== undefined) for (const listener of this.#listeners) listener.deleted?.(before);
  }

  sync(): void {
    this.#isSynced = true;
    this.#synced.resolve();
  }

  /** As a cache does that was stopped before it was complete. */
  breakDown(reason: Error): void {
    this.#synced.reject(reason);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: ObjectKeyText): CacheEntry<P> | undefined {
    return this.#entries.get(key);
  }

  entries(): IterableIterator<CacheEntry<P>> {
    return this.#entries.values();
  }

  byIndex(index: string): never {
    throw new RangeError(`no index ${index}`);
  }

  subscribe(listener: CacheListener<P>): () => void {
    this.#listeners.add(listener);
    for (const entry of this.#entries.values()) listener.added?.(entry);
    return () => this.#listeners.delete(listener);
  }

  async whenSynced(signal?: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    await Promise.race([this.#synced.promise, aborted.promise]);
  }

  status(): CacheStatus {
    return {
      absent: false,
      refused: false,
      synced: this.#isSynced,
      state: this.#isSynced ? 'watching' : 'listing',
      lastContactAt: undefined,
      staleMs: undefined,
      resourceVersion: undefined,
      lastError: undefined,
      objects: this.#entries.size,
      counters: { lists: 0, watches: 0, events: 0, bookmarks: 0, expirations: 0, silences: 0, errors: 0, handlerErrors: 0 },
    };
  }
}
