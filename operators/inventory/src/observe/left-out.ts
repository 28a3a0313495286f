import { messageOf } from '@quartermaster/kernel';
import type { Cache, CacheOpener } from '@quartermaster/kube';
import type { LeftOut, LeftOutObject } from '../model/snapshot.ts';

/** So many are named of a source; all of them are counted. */
const namedObjects = 10;

/** Sources whose objects are nodes. All of them are named: whoever sells holds back those, and would have to hold back every node for one without a name. */
const nodeSources: ReadonlySet<string> = new Set(['nodes', 'node-views', 'sellability']);

/**
 * Knows what the inventory was told and could not use: objects of caches that it opened through here, and what its parts note. Nothing of it stops anything
 * else; an object that was good before counts as it last was.
 */
export class LeftOutObjects {
  /** As the one given, but what is opened here is looked at. */
  readonly caches: CacheOpener;
  readonly #caches: Pick<Cache<unknown>, 'name' | 'unreadable'>[] = [];
  readonly #noted = new Map<string, Map<string, string>>(); // source -> object -> reason

  constructor(caches: CacheOpener) {
    this.caches = {
      open: (options) => {
        const cache = caches.open(options);
        this.#caches.push(cache);
        return cache;
      },
    };
  }

  /** Does what takes in an object of a source. What it throws is noted, until it does it without. */
  taking(source: string, object: string, take: () => void): void {
    try {
      take();
      this.#noted.get(source)?.delete(object);
    } catch (thrown) {
      const noted = this.#noted.get(source) ?? new Map<string, string>();
      this.#noted.set(source, noted.set(object, messageOf(thrown)));
    }
  }

  /** Of an object that is gone, or all that was noted of a source. */
  forget(source: string, object?: string): void {
    if (object === undefined) this.#noted.delete(source);
    else this.#noted.get(source)?.delete(object);
  }

  /** The names of all that is left out of a source. */
  of(source: string): ReadonlySet<string> {
    const unreadable = this.#caches.filter(({ name }) => name === source).flatMap((cache) => cache.unreadable());
    return new Set([...(this.#noted.get(source)?.keys() ?? []), ...unreadable.map(({ key }) => key)]);
  }

  /** By source, and by the names of objects. */
  current(): readonly LeftOut[] {
    const bySource = new Map<string, Map<string, string>>();
    const put = (source: string, key: string, reason: string): void => {
      const objects = bySource.get(source) ?? new Map<string, string>();
      bySource.set(source, objects.set(key, reason));
    };
    for (const [source, objects] of this.#noted) for (const [key, reason] of objects) put(source, key, reason);
    for (const cache of this.#caches) for (const { key, reason } of cache.unreadable()) put(cache.name, key, reason);
    return Array.from(bySource, ([source, objects]) => ({ source, count: objects.size, named: named(source, objects) })).toSorted((a, b) =>
      a.source < b.source ? -1 : 1,
    );
  }
}

function named(source: string, objects: ReadonlyMap<string, string>): readonly LeftOutObject[] {
  const all = Array.from(objects, ([name, reason]): LeftOutObject => ({ name, reason }));
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, nodeSources.has(source) ? all.length : namedObjects);
}
