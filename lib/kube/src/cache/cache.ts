import { type Clock, type Log, type Random, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import type { KubeClient } from '../client/client.ts';
import type { FieldSelection, IdentitySelection, Selected } from '../objects/field-selection.ts';
import type { KubeObject, ObjectKeyText } from '../objects/objects.ts';
import type { CacheEntry, CacheListener, CacheStatus, ReadableCache, UnreadableObject } from './cache-api.ts';
import { CacheStore, type IndexFunction } from './cache-store.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';
import { type StaleCache, staleReason } from './staleness.ts';

export interface CacheOptions<T extends KubeObject, P, F = true> extends Omit<ReflectorOptions<T, P>, 'fields' | 'project'> {
  /** What people call it; the plural of its kind unless given. */
  readonly name?: string | undefined;
  /** The fields that `project` reads; the others are stepped over without being parsed. All of them when left out. */
  readonly fields?: F | undefined;
  /** What stays in memory of each object, made from its identity and the selected fields. The rest is garbage at once. */
  readonly project: (object: Selected<T, F & IdentitySelection>) => P;
  /** Index name -> the values under which an entry is found. */
  readonly indexes?: Readonly<Record<string, IndexFunction<P>>> | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
}

/** A live, indexed copy of one kind, projected to what its readers need. */
export class Cache<P> implements ReadableCache<P> {
  /** What people call it. */
  readonly name: string;
  readonly #store: CacheStore<P>;
  readonly #reflector: Pick<Reflector<KubeObject, P>, 'status' | 'whenSynced' | 'unreadable'>;
  readonly #stop: () => Promise<void>;

  constructor(
    name: string,
    store: CacheStore<P>,
    reflector: Pick<Reflector<KubeObject, P>, 'status' | 'whenSynced' | 'unreadable'>,
    stop: () => Promise<void>,
  ) {
    this.name = name;
    this.#store = store;
    this.#reflector = reflector;
    this.#stop = stop;
  }

  get size(): number {
    return this.#store.size;
  }

  get(key: ObjectKeyText): CacheEntry<P> | undefined {
    return this.#store.get(key);
  }

  entries(): IterableIterator<CacheEntry<P>> {
    return this.#store.entries();
  }

  byIndex(index: string, value: string): readonly CacheEntry<P>[] {
    return this.#store.byIndex(index, value);
  }

  subscribe(listener: CacheListener<P>): () => void {
    return this.#store.subscribe(listener);
  }

  status(): CacheStatus {
    return this.#reflector.status();
  }

  /** That it is not being followed right now, and why; undefined while it is. */
  stale(): StaleCache | undefined {
    const status = this.status();
    const reason = staleReason(status);
    return reason === undefined ? undefined : { source: this.name, lastContactAt: status.lastContactAt, reason };
  }

  /** Objects that are there and could not be read, each with the reason: what is in the cache is their last good state, or nothing. */
  unreadable(): readonly UnreadableObject[] {
    return this.#reflector.unreadable();
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    return this.#reflector.whenSynced(signal);
  }

  /** Ends the watch. What is in the cache stays readable. */
  stop(): Promise<void> {
    return this.#stop();
  }
}

/**
 * Starts a cache at once and returns it before it is filled: `whenSynced` tells when it is. It waits for a kind that does
 * not exist yet, survives one that goes away, and runs until `stop`, whatever the server does.
 */
export function startCache<T extends KubeObject, P, const F extends FieldSelection<T> = true>(
  client: KubeClient,
  options: CacheOptions<T, P, F>,
): Cache<P> {
  const controller = new AbortController();
  const store = new CacheStore<P>(options.indexes ?? {}, (error) => reflector.handlerFailed(error));
  const context = {
    transport: client.transport,
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom,
    log: options.log ?? silentLog,
  };
  const reflector = new Reflector<T, P>(
    { ...options, fields: options.fields ?? true, project: options.project as (object: T) => P },
    context,
    store,
  );
  const running = reflector.run(controller.signal);
  return new Cache(options.name ?? options.type.plural, store, reflector, async () => {
    controller.abort(new Error('cache stopped'));
    await running;
  });
}

/** Starts caches of one cluster. */
export interface CacheOpener {
  open<T extends KubeObject, P, const F extends FieldSelection<T> = true>(options: CacheOptions<T, P, F>): Cache<P>;
}

/** Starts caches with the same clock, randomness and log. Whoever opened one stops it. */
export function cacheOpener(
  client: KubeClient,
  context: Pick<CacheOptions<KubeObject, unknown>, 'clock' | 'random' | 'log'> = {},
): CacheOpener {
  return { open: (options) => startCache(client, { ...context, ...options }) };
}
