import { type Source, sourceOf } from '@quartermaster/controller';
import { type Clock, sleep } from '@quartermaster/kernel';
import { type Cache, type CacheEntry, isRead } from '@quartermaster/kube';

const lookAgainMs = 50;

/** Of a kind that may not be installed. Waiting does not help then: everything else goes on without it, and the health of the role says what is missing. */
export function sourceIfKnown<P>(cache: Cache<P>, clock: Clock, keysOf?: (entry: CacheEntry<P>) => readonly string[]): Source {
  const source = keysOf === undefined ? sourceOf(cache) : sourceOf(cache, keysOf);
  const isSynced = (): boolean => isRead(cache.status());
  return {
    ...source,
    isSynced,
    whenSynced: async (signal) => {
      while (!isSynced()) await sleep(clock, lookAgainMs, signal);
    },
  };
}
