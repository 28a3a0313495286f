import type { JsonObject } from '../object/api-object.ts';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  /** namespace/name, or the bare name of a cluster-scoped object. */
  readonly key: string;
  /** As it is after the event; what was deleted, with the revision of its deletion. */
  readonly object: JsonObject;
  readonly previous: JsonObject | undefined;
}

/**
 * The objects of one kind with the events that led to them. Keys are kept in byte order, as etcd does, so that lists and
 * their pages agree with the real server. Former states are not copied: they are read by undoing the events since then.
 */
export class Collection {
  readonly #objects = new Map<string, JsonObject>(); // key -> object
  readonly #listeners = new Set<() => void>();
  readonly #logLimit: number;
  #log: StoreEvent[] = [];
  #compacted = 0;
  #sorted: string[] = [];
  #unsorted: string[] = [];
  #removed = false;
  #closed = false;

  constructor(logLimit: number) {
    this.#logLimit = logLimit;
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Set once the kind is no longer served: watches end. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Events up to this revision are gone. */
  get compacted(): number {
    return this.#compacted;
  }

  get(key: string): JsonObject | undefined {
    return this.#objects.get(key);
  }

  /** Takes events in, in the order of their revisions, and then tells the listeners once. */
  apply(events: readonly StoreEvent[]): void {
    for (const event of events) this.#take(event);
    if (this.#log.length > 2 * this.#logLimit) this.#drop(this.#log.length - this.#logLimit);
    for (const listener of this.#listeners) listener();
  }

  /** Puts an object there without an event: for what was there before this process started. */
  load(key: string, object: JsonObject): void {
    if (!this.#objects.has(key)) this.#unsorted.push(key);
    this.#objects.set(key, object);
  }

  unload(key: string): void {
    this.#objects.delete(key);
    this.#removed = true;
  }

  /** Forgets all events up to the revision, which former states and watches can then no longer be read from. */
  compact(revision: number): void {
    this.#drop(this.#indexAfter(revision));
    this.#compacted = Math.max(this.#compacted, revision);
    for (const listener of this.#listeners) listener();
  }

  close(): void {
    this.#closed = true;
    for (const listener of this.#listeners) listener();
  }

  /** Called after events; returns how to stop that. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** At most `limit` events after the revision, or undefined when they are no longer all known. */
  eventsAfter(revision: number, limit: number): readonly StoreEvent[] | undefined {
    if (revision < this.#compacted) return undefined;
    const last = this.#log.at(-1);
    if (last === undefined || last.revision <= revision) return [];
    const start = this.#indexAfter(revision);
    return this.#log.slice(start, start + limit);
  }

  /** The objects whose keys start with the prefix, in the order of keys, beginning after `after`. */
  *range(prefix: string, after = ''): Generator<readonly [key: string, object: JsonObject]> {
    const keys = this.#keys();
    for (let index = firstIndex(keys, prefix, after); index < keys.length; index += 1) {
      const key = keys[index] ?? '';
      if (!key.startsWith(prefix)) return;
      const object = this.#objects.get(key);
      if (object !== undefined) yield [key, object];
    }
  }

  /** How many objects follow `after` below the prefix. */
  countAfter(prefix: string, after: string): number {
    const keys = this.#keys();
    const end = prefix === '' ? keys.length : firstIndex(keys, `${prefix.slice(0, -1)}0`, '');
    return Math.max(0, end - firstIndex(keys, prefix, after));
  }

  /** The same as it was at a revision, or undefined when that state is no longer known. */
  rangeAt(revision: number, prefix: string, after = ''): Iterable<readonly [key: string, object: JsonObject]> | undefined {
    if (revision < this.#compacted) return undefined;
    const then = new Map<string, JsonObject | undefined>(); // key -> object at the revision
    for (let index = this.#log.length - 1; index >= 0; index -= 1) {
      const event = this.#log[index];
      if (event === undefined || event.revision <= revision) break;
      if (event.key.startsWith(prefix)) then.set(event.key, event.previous);
    }
    return then.size === 0 ? this.range(prefix, after) : this.#undone(then, prefix, after);
  }

  *#undone(then: ReadonlyMap<string, JsonObject | undefined>, prefix: string, after: string) {
    const gone = [...then.keys()].filter((key) => !this.#objects.has(key) && (after === '' || key > after)).sort();
    let next = 0;
    const goneBefore = function* (key: string | undefined): Generator<readonly [string, JsonObject]> {
      for (let name = gone[next]; name !== undefined && (key === undefined || name < key); name = gone[next]) {
        next += 1;
        const object = then.get(name);
        if (object !== undefined) yield [name, object];
      }
    };
    for (const [key, object] of this.range(prefix, after)) {
      yield* goneBefore(key);
      const former = then.has(key) ? then.get(key) : object;
      if (former !== undefined) yield [key, former] as const;
    }
    yield* goneBefore(undefined);
  }

  #take(event: StoreEvent): void {
    if (event.type === 'DELETED') {
      this.#objects.delete(event.key);
      this.#removed = true;
    } else {
      if (event.type === 'ADDED') this.#unsorted.push(event.key);
      this.#objects.set(event.key, event.object);
    }
    this.#log.push(event);
  }

  #drop(count: number): void {
    if (count <= 0) return;
    this.#compacted = Math.max(this.#compacted, this.#log[count - 1]?.revision ?? 0);
    this.#log = this.#log.slice(count);
  }

  #indexAfter(revision: number): number {
    let [low, high] = [0, this.#log.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#log[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Sorted keys. New ones are merged in only when somebody lists, so that a load of many objects stays linear. */
  #keys(): readonly string[] {
    if (this.#removed || this.#unsorted.length > 0) {
      const fresh = [...new Set(this.#unsorted)].filter((key) => this.#objects.has(key)).sort();
      const known = new Set(fresh);
      const kept = this.#removed ? this.#sorted.filter((key) => this.#objects.has(key) && !known.has(key)) : this.#sorted;
      this.#sorted = merge(kept, fresh);
      this.#unsorted = [];
      this.#removed = false;
    }
    return this.#sorted;
  }
}

function firstIndex(keys: readonly string[], prefix: string, after: string): number {
  const isBefore = (key: string): boolean => (after === '' ? key < prefix : key <= after);
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(keys[middle] ?? '')) low = middle + 1;
    else high = middle;
  }
  return low;
}

function merge(a: readonly string[], b: readonly string[]): string[] {
  if (b.length === 0) return [...a];
  const result: string[] = [];
  let next = 0;
  for (const key of a) {
    for (let other = b[next]; other !== undefined && other < key; other = b[next]) {
      result.push(other);
      next += 1;
    }
    result.push(key);
  }
  return [...result, ...b.slice(next)];
}
