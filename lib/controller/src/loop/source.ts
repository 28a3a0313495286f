import type { CacheEntry, ObjectKeyText, ReadableCache } from '@quartermaster/kube';

/** Where a controller hears which keys to reconcile. Made by `sourceOf`; the type of the cached objects stays inside. */
export interface Source {
  isSynced(): boolean;
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Tells of the keys of every object there is, and from then on of those of every object that changes. Returns what ends it. */
  subscribe(listener: SourceListener): () => void;
  /** Tells of the keys of every object there is, once. */
  visitAll(listener: SourceListener): void;
}

export interface SourceListener {
  key(key: string): void;
  /** The mapping function threw for the object of this key. The others are not affected. */
  failed(key: ObjectKeyText, thrown: unknown): void;
}

/**
 * The keys to reconcile when an object of the cache appears, changes or goes: its own, or what `keys` says, such as those of its
 * owner. On a change both the state before and the state after are asked, so that an object that moves from one owner to another
 * wakes both.
 */
export function sourceOf<P>(cache: ReadableCache<P>, keys: (entry: CacheEntry<P>) => Iterable<string> = ownKey): Source {
  const tell = (listener: SourceListener, entry: CacheEntry<P>): void => {
    try {
      for (const key of keys(entry)) listener.key(key);
    } catch (thrown) {
      listener.failed(entry.key, thrown);
    }
  };
  return {
    isSynced: () => cache.status().synced,
    whenSynced: (signal) => cache.whenSynced(signal),
    subscribe: (listener) =>
      cache.subscribe({
        added: (entry) => tell(listener, entry),
        updated: (entry, before) => {
          tell(listener, before);
          tell(listener, entry);
        },
        deleted: (entry) => tell(listener, entry),
      }),
    visitAll: (listener) => {
      for (const entry of cache.entries()) tell(listener, entry);
    },
  };
}

function ownKey(entry: { readonly key: ObjectKeyText }): string[] {
  return [entry.key];
}
