import type { ObjectKeyText } from '../objects/objects.ts';

/**
 * One object as a cache holds it: its identity and the projection of the rest.
 * `uid` tells a recreated object from its predecessor of the same name.
 */
export interface CacheEntry<P> {
  readonly key: ObjectKeyText;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly value: P;
}

/**
 * Told of every change, in the order of the server, synchronously and after the cache shows it. What it throws is
 * logged and counted and stops nothing. Keep it short: hand keys to a queue.
 */
export interface CacheListener<P> {
  /** Also called for each object already there when the listener subscribes. */
  added?(entry: CacheEntry<P>): void;
  /** Only when the resourceVersion changed and the uid did not. */
  updated?(entry: CacheEntry<P>, before: CacheEntry<P>): void;
  /** With the last state that was seen. A recreated object is deleted and then added. */
  deleted?(entry: CacheEntry<P>): void;
}

/** An object that a cache could not take in. What was known of it before stays. */
export interface UnreadableObject {
  readonly key: ObjectKeyText;
  readonly reason: string;
}

/** What a cache knows of its own truth. Empty and unknown are different things. */
export interface CacheStatus {
  /** A complete list has been read at least once. Stays true while the server is out of reach: the data is then stale, not gone. */
  readonly synced: boolean;
  /**
   * `starting` before the first answer; `watching` with an open watch; `reconnecting` after a failure, until a try succeeds; `kind-missing` while the
   * server does not know the kind; `stopped`.
   */
  readonly state: 'starting' | 'listing' | 'watching' | 'reconnecting' | 'kind-missing' | 'stopped';
  /** The server said that it does not know the kind, and nothing has been read since: there are no objects, which is known. */
  readonly absent: boolean;
  /** The server said that this identity may not read the kind, and nothing has been read since. It is asked again and again. */
  readonly refused: boolean;
  /** When the server last said anything about this kind, wall clock in ms. Undefined before it first did. */
  readonly lastContactAt: number | undefined;
  /** How long ago that was, by the monotonic clock. */
  readonly staleMs: number | undefined;
  readonly resourceVersion: string | undefined;
  /** The failure being retried, as one line. */
  readonly lastError: string | undefined;
  readonly objects: number;
  readonly counters: CacheCounters;
}

export interface CacheCounters {
  readonly lists: number;
  readonly watches: number;
  readonly events: number;
  readonly bookmarks: number;
  /** Relists because the server no longer had our resourceVersion. */
  readonly expirations: number;
  /** Watches dropped because nothing arrived for too long. */
  readonly silences: number;
  readonly errors: number;
  readonly handlerErrors: number;
}

/** Read access to a live, indexed copy of one kind. */
export interface ReadableCache<P> {
  get(key: ObjectKeyText): CacheEntry<P> | undefined;
  entries(): IterableIterator<CacheEntry<P>>;
  readonly size: number;
  /** Entries for which the named index function gave `value`. Unknown index names throw. */
  byIndex(index: string, value: string): readonly CacheEntry<P>[];
  /** Returns a function that ends the subscription. */
  subscribe(listener: CacheListener<P>): () => void;
  status(): CacheStatus;
  /** Resolves once a complete list has been read. */
  whenSynced(signal?: AbortSignal): Promise<void>;
}
