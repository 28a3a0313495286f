import { StatusError } from '@quartermaster/kernel';
import type { ObjectKeyText } from '../objects/objects.ts';
import type { CacheEntry, CacheListener } from './cache-api.ts';

/** Gives the values under which an entry is found in one index; none leaves it out. */
export type IndexFunction<P> = (entry: CacheEntry<P>) => readonly string[];

/** Objects of one kind with their indexes and listeners. No I/O: a reflector or a test writes into it. */
export class CacheStore<P> {
  readonly #entries = new Map<ObjectKeyText, CacheEntry<P>>();
  readonly #indexFunctions: Readonly<Record<string, IndexFunction<P>>>;
  readonly #indexes = new Map<string, Map<string, Set<ObjectKeyText>>>(); // index name -> value -> keys
  readonly #listeners = new Set<CacheListener<P>>();
  readonly #listenerFailed: (error: unknown) => void;

  constructor(indexes: Readonly<Record<string, IndexFunction<P>>>, listenerFailed: (error: unknown) => void) {
    this.#indexFunctions = indexes;
    this.#listenerFailed = listenerFailed;
    for (const name of Object.keys(indexes)) this.#indexes.set(name, new Map());
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: ObjectKeyText): CacheEntry<P> | undefined {
    return this.#entries.get(key);
  }

  keys(): IterableIterator<ObjectKeyText> {
    return this.#entries.keys();
  }

  entries(): IterableIterator<CacheEntry<P>> {
    return this.#entries.values();
  }

  byIndex(index: string, value: string): readonly CacheEntry<P>[] {
    const values = this.#indexes.get(index);
    if (values === undefined) {
      throw new StatusError('invalid_argument', `no index "${index}": this cache has ${[...this.#indexes.keys()].join(', ') || 'none'}`);
    }
    const found: CacheEntry<P>[] = [];
    for (const key of values.get(value) ?? []) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) found.push(entry);
    }
    return found;
  }

  subscribe(listener: CacheListener<P>): () => void {
    this.#listeners.add(listener);
    for (const entry of this.#entries.values()) this.#tell(listener, (told) => told.added?.(entry));
    return () => this.#listeners.delete(listener);
  }

  /** Takes in the object's present state. The same version again changes nothing and tells nobody. */
  put(entry: CacheEntry<P>): void {
    const before = this.#entries.get(entry.key);
    if (before !== undefined && before.uid === entry.uid) {
      if (before.resourceVersion === entry.resourceVersion) return;
      this.#unindex(before);
      this.#entries.set(entry.key, entry);
      this.#index(entry);
      this.#tellAll((told) => told.updated?.(entry, before));
      return;
    }
    if (before !== undefined) this.remove(entry.key);
    this.#entries.set(entry.key, entry);
    this.#index(entry);
    this.#tellAll((told) => told.added?.(entry));
  }

  remove(key: ObjectKeyText): void {
    const before = this.#entries.get(key);
    if (before === undefined) return;
    this.#entries.delete(key);
    this.#unindex(before);
    this.#tellAll((told) => told.deleted?.(before));
  }

  #index(entry: CacheEntry<P>): void {
    for (const [name, values] of this.#indexes) {
      for (const value of this.#valuesOf(name, entry)) {
        const keys = values.get(value);
        if (keys === undefined) values.set(value, new Set([entry.key]));
        else keys.add(entry.key);
      }
    }
  }

  #unindex(entry: CacheEntry<P>): void {
    for (const [name, values] of this.#indexes) {
      for (const value of this.#valuesOf(name, entry)) {
        const keys = values.get(value);
        keys?.delete(entry.key);
        if (keys?.size === 0) values.delete(value);
      }
    }
  }

  /** An index function that throws leaves the object out of that index: the object itself is not lost. */
  #valuesOf(name: string, entry: CacheEntry<P>): readonly string[] {
    try {
      return this.#indexFunctions[name]?.(entry) ?? [];
    } catch (error) {
      this.#listenerFailed(error);
      return [];
    }
  }

  #tellAll(call: (listener: CacheListener<P>) => void): void {
    for (const listener of this.#listeners) this.#tell(listener, call);
  }

  #tell(listener: CacheListener<P>, call: (listener: CacheListener<P>) => void): void {
    try {
      call(listener);
    } catch (error) {
      this.#listenerFailed(error);
    }
  }
}
