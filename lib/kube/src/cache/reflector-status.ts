import type { Clock } from '@quartermaster/kernel';
import type { CacheCounters, CacheStatus } from './cache-api.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Keeps what a reflector knows of its own truth. */
export class ReflectorStatus {
  readonly #clock: Clock;
  readonly #counters: Mutable<CacheCounters> = {
    lists: 0,
    watches: 0,
    events: 0,
    bookmarks: 0,
    expirations: 0,
    silences: 0,
    errors: 0,
    handlerErrors: 0,
  };
  readonly #syncWaiters = new Set<() => void>();
  #state: CacheStatus['state'] = 'starting';
  #synced = false;
  #isAbsent = false;
  #isRefused = false;
  #contact: { readonly wall: number; readonly monotonic: number } | undefined;
  #lastError: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  enter(state: CacheStatus['state']): void {
    // A list that is to repair a failure has not repaired it yet.
    if (state === 'listing' && this.#state === 'reconnecting') return;
    this.#state = state;
    if (state === 'watching') this.#lastError = undefined;
    if (state === 'kind-missing') this.#isAbsent = true;
  }

  /** The server said that this identity may not read the kind. */
  refused(): void {
    this.#isRefused = true;
  }

  contact(): void {
    this.#contact = { wall: this.#clock.now(), monotonic: this.#clock.monotonic() };
  }

  failed(message: string): void {
    this.#lastError = message;
    this.#counters.errors += 1;
  }

  count(counter: keyof CacheCounters): void {
    this.#counters[counter] += 1;
  }

  synced(): void {
    this.#synced = true;
    this.#isAbsent = false;
    this.#isRefused = false;
    for (const tell of this.#syncWaiters) tell();
    this.#syncWaiters.clear();
  }

  whenSynced(signal?: AbortSignal): Promise<void> {
    if (this.#synced) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#syncWaiters.delete(tell);
        reject(signal?.reason);
      };
      const tell = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      this.#syncWaiters.add(tell);
      signal?.addEventListener('abort', abort, { once: true });
    });
  }

  snapshot(resourceVersion: string | undefined, objects: number): CacheStatus {
    return {
      synced: this.#synced,
      state: this.#state,
      absent: this.#isAbsent,
      refused: this.#isRefused,
      lastContactAt: this.#contact?.wall,
      staleMs: this.#contact === undefined ? undefined : this.#clock.monotonic() - this.#contact.monotonic,
      resourceVersion,
      lastError: this.#lastError,
      objects,
      counters: { ...this.#counters },
    };
  }
}
