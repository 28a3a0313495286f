import { type CacheEntry, keyText, parseKey, type ReadableCache, type ResourceType } from '@quartermaster/kube';
import type { Source, SourceListener } from '../loop/source.ts';
import type { OwnerReference } from './owner-references.ts';

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

function ownKey(entry: { readonly key: string }): string[] {
  return [entry.key];
}

/**
 * The keys of owners: a change of an object brings the key of the object of kind `owner` that controls it. `referenceOf` finds that reference in
 * what the cache keeps, `controllerOf` where it keeps whole objects. The version of the reference does not matter: it names the same object.
 */
export function ownedSource<P>(
  cache: ReadableCache<P>,
  owner: ResourceType,
  referenceOf: (value: P) => Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'> | undefined,
): Source {
  return sourceOf(cache, ({ key, value }) => {
    const reference = referenceOf(value);
    if (reference === undefined || reference.kind !== owner.kind || groupOf(reference.apiVersion) !== owner.group) return [];
    if (!owner.namespaced) return [reference.name];
    const { namespace } = parseKey(key);
    // A cluster-scoped object cannot have an owner in a namespace: the reference names nothing.
    return namespace === undefined ? [] : [keyText({ namespace, name: reference.name })];
  });
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
