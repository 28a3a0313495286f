import { type CacheEntry, parseKey, type ReadableCache } from '@quartermaster/kube';

/** Tells streams that pods of their lease have changed: one subscription for all of them. */
export class PodChanges {
  readonly #listeners = new Map<string, Set<() => void>>(); // namespace -> who wants to know
  readonly #unsubscribe: () => void;

  constructor(pods: Pick<ReadableCache<unknown>, 'subscribe'>) {
    const tell = ({ key }: CacheEntry<unknown>): void => {
      for (const listener of this.#listeners.get(parseKey(key).namespace ?? '') ?? []) listener();
    };
    this.#unsubscribe = pods.subscribe({ added: tell, updated: tell, deleted: tell });
  }

  listen(namespace: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(namespace) ?? new Set();
    this.#listeners.set(namespace, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(namespace) === listeners) this.#listeners.delete(namespace);
    };
  }

  stop(): void {
    this.#unsubscribe();
  }
}
