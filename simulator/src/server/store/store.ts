import { deepFreeze, type JsonObject, metaOf, withMeta } from '../object/api-object.ts';
import { Collection, type StoreEvent } from './collection.ts';
import { SharedParts } from './shared-parts.ts';

export interface StoredEvent extends StoreEvent {
  /** group/plural of the kind. */
  readonly storageKey: string;
}

export interface StoreOptions {
  /** How many events of each kind are kept for watches and former states. */
  readonly logLimit?: number | undefined;
}

/** Where committed events also go, together and before their writer is answered. */
export type Journal = (events: readonly StoredEvent[]) => void;

/** An object that is about to be stored. */
export interface NewObject {
  readonly key: string;
  readonly object: JsonObject;
}

/**
 * All objects, under one revision counter as in etcd. Everything is synchronous: whoever reads, decides and commits in one
 * turn of the event loop does so atomically.
 */
export class Store {
  readonly #collections = new Map<string, Collection>(); // group/plural -> objects
  readonly #listeners = new Set<(event: StoredEvent) => void>();
  readonly #dependents = new Map<string, Map<string, ObjectAddress>>(); // owner's uid -> text of address -> address
  readonly #logLimit: number;
  /** What objects have in common. */
  readonly parts = new SharedParts();
  #revision = 1;
  #journal: Journal | undefined;

  constructor({ logLimit = 20_000 }: StoreOptions = {}) {
    this.#logLimit = logLimit;
  }

  get revision(): number {
    return this.#revision;
  }

  get storageKeys(): IterableIterator<string> {
    return this.#collections.keys();
  }

  /** From now on. One journal at a time. */
  journalTo(journal: Journal): void {
    this.#journal = journal;
  }

  /** Called with every event after it is stored, in order. */
  listen(listener: (event: StoredEvent) => void): void {
    this.#listeners.add(listener);
  }

  collection(storageKey: string): Collection {
    let found = this.#collections.get(storageKey);
    if (found === undefined || found.closed) {
      found = new Collection(this.#logLimit);
      // A kind that was gone and is back has no history of before.
      found.compact(this.#revision);
      this.#collections.set(storageKey, found);
    }
    return found;
  }

  get(storageKey: string, key: string): JsonObject | undefined {
    return this.#collections.get(storageKey)?.get(key);
  }

  /** Stores the object under the next revision, which becomes its resourceVersion. */
  put(storageKey: string, key: string, object: JsonObject): JsonObject {
    const collection = this.collection(storageKey);
    const previous = collection.get(key);
    const revision = this.#revision + 1;
    const stored = deepFreeze(withMeta(object, { resourceVersion: String(revision) }));
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    this.#commit([{ type, revision, storageKey, key, object: stored, previous }], collection);
    return stored;
  }

  /** Stores many objects that do not exist yet, each under a revision of its own. */
  putNew(storageKey: string, objects: readonly NewObject[]): void {
    const events = objects.map(({ key, object }, index): StoredEvent => {
      const revision = this.#revision + 1 + index;
      const stored = deepFreeze(withMeta(object, { resourceVersion: String(revision) }));
      return { type: 'ADDED', revision, storageKey, key, object: stored, previous: undefined };
    });
    this.#commit(events, this.collection(storageKey));
  }

  /** Removes the object and answers it as it was, under the revision of its removal. */
  remove(storageKey: string, key: string): JsonObject | undefined {
    const collection = this.collection(storageKey);
    const previous = collection.get(key);
    if (previous === undefined) return undefined;
    const revision = this.#revision + 1;
    const object = deepFreeze(withMeta(previous, { resourceVersion: String(revision) }));
    this.#commit([{ type: 'DELETED', revision, storageKey, key, object, previous }], collection);
    return object;
  }

  /** For what a data directory held. Tells nobody. */
  load(storageKey: string, key: string, object: JsonObject): void {
    const frozen = deepFreeze(this.parts.share(object));
    const previous = this.get(storageKey, key);
    this.collection(storageKey).load(key, frozen);
    this.#index(storageKey, key, previous, frozen);
  }

  /** For what a journal says was removed. Tells nobody. */
  unload(storageKey: string, key: string): void {
    const collection = this.collection(storageKey);
    this.#index(storageKey, key, collection.get(key), undefined);
    collection.unload(key);
  }

  /** After loading: no later object gets a revision that was already given. */
  resumeAt(revision: number): void {
    this.#revision = Math.max(this.#revision, revision);
    for (const collection of this.#collections.values()) collection.compact(this.#revision);
  }

  /** Forgets the history of all kinds, as etcd's compaction does. */
  compact(): void {
    for (const collection of this.#collections.values()) collection.compact(this.#revision);
  }

  /** Ends the watches of a kind that is no longer served. */
  drop(storageKey: string): void {
    this.#collections.get(storageKey)?.close();
    this.#collections.delete(storageKey);
  }

  /** Where objects are that name this uid as an owner. */
  dependentsOf(uid: string): readonly ObjectAddress[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  #commit(events: readonly StoredEvent[], collection: Collection): void {
    this.#journal?.(events);
    for (const { revision, storageKey, key, previous, type, object } of events) {
      this.#revision = revision;
      this.#index(storageKey, key, previous, type === 'DELETED' ? undefined : object);
    }
    collection.apply(events);
    for (const event of events) for (const listener of this.#listeners) listener(event);
  }

  #index(storageKey: string, key: string, before: JsonObject | undefined, after: JsonObject | undefined): void {
    const [old, now] = [before, after].map((object) => (object === undefined ? undefined : metaOf(object).ownerReferences));
    if (old === now) return;
    const text = `${storageKey}:${key}`;
    for (const { uid } of old ?? []) {
      const entries = this.#dependents.get(uid);
      entries?.delete(text);
      if (entries?.size === 0) this.#dependents.delete(uid);
    }
    for (const { uid } of now ?? []) {
      const entries = this.#dependents.get(uid) ?? new Map<string, ObjectAddress>();
      entries.set(text, { storageKey, key });
      this.#dependents.set(uid, entries);
    }
  }
}

export interface ObjectAddress {
  readonly storageKey: string;
  readonly key: string;
}
