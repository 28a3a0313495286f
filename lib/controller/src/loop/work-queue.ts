import { type BackoffOptions, backoffMs, type Clock, type Random } from '@quartermaster/kernel';
import { DelayHeap } from './delay-heap.ts';
import { Fifo } from './fifo.ts';

/**
 * Keyed work, as a reconcile loop needs it. A key is in at most one of three places:
 *
 * - delayed: it becomes due at a time. The earliest time asked for wins.
 * - waiting: it is due. Keys come out in the order in which they became due; asking again changes nothing.
 * - in flight: one worker has it. Asking for it now marks it, and it waits again as soon as the worker is done with it. It may be
 *   delayed at the same time: that is how a worker asks for a retry.
 *
 * So every `add` is followed by a `take` that began after it, and no two workers ever hold the same key.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #backoff: BackoffOptions;

  readonly #order = new Fifo<string>();
  readonly #waiting = new Set<string>();
  readonly #inFlight = new Set<string>();
  readonly #marked = new Set<string>(); // keys in flight that were asked for again
  readonly #delayed = new DelayHeap();
  readonly #failures = new Map<string, number>(); // key -> failures in a row
  readonly #takers = new Set<(key: string | undefined) => void>();
  readonly #idle = new Set<() => void>();

  #cancelTimer: (() => void) | undefined;
  #timerDueAt = Number.POSITIVE_INFINITY;
  #isHandingOut = false;
  #state: 'open' | 'draining' | 'abandoned' = 'open';
  #adds = 0;
  #retries = 0;
  #completed = 0;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#backoff = options.backoff ?? defaultRetryBackoff;
  }

  /** Asks for the key to be worked on now. Ignored after shut down. */
  add(key: string): void {
    if (this.#state !== 'open') return;
    this.#adds += 1;
    this.#delayed.delete(key);
    this.#makeDue(key);
  }

  /** Asks for the key after a delay. Nothing to do when it already waits or is asked for earlier. Ignored after shut down. */
  addAfter(key: string, afterMs: number): void {
    if (!Number.isFinite(afterMs)) throw new RangeError(`addAfter needs a finite number of milliseconds, not ${afterMs}`);
    if (afterMs <= 0) {
      this.add(key);
      return;
    }
    if (this.#state !== 'open' || this.#waiting.has(key) || this.#marked.has(key)) return;
    this.#adds += 1;
    this.#delayed.add(key, this.#clock.monotonic() + afterMs);
    this.#setTimer();
  }

  /** Counts a failure of the key and asks for it after the backoff, or after `minMs` when that is longer. Returns the wait. */
  retry(key: string, options: { readonly minMs?: number | undefined; readonly backoff?: BackoffOptions } = {}): number {
    const failures = this.failures(key) + 1;
    this.#failures.set(key, failures);
    this.#retries += 1;
    const afterMs = Math.max(backoffMs(failures, options.backoff ?? this.#backoff, this.#random), options.minMs ?? 0);
    this.addAfter(key, afterMs);
    return afterMs;
  }

  /** Starts the key's backoff anew. Call it whenever a key succeeds: failures are remembered until then. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /**
   * The next key, now in flight: the caller must hand it to `done`. Undefined once the queue is shut down or the signal has
   * aborted. As many workers as call this work at the same time; those that wait are served in the order of their calls.
   */
  take(signal?: AbortSignal): Promise<string | undefined> {
    if (signal?.aborted === true || this.#state === 'abandoned') return Promise.resolve(undefined);
    if (this.#takers.size === 0) {
      const key = this.#next();
      if (key !== undefined) return Promise.resolve(key);
    }
    if (this.#isOver()) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const abort = (): void => taker(undefined);
      const taker = (taken: string | undefined): void => {
        this.#takers.delete(taker);
        signal?.removeEventListener('abort', abort);
        resolve(taken);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#takers.add(taker);
    });
  }

  /** Ends the work on a key that `take` gave out. */
  done(key: string): void {
    if (!this.#inFlight.delete(key)) throw new RangeError(`done was called for ${key}, which is not being processed`);
    this.#completed += 1;
    if (this.#marked.delete(key) && this.#state !== 'abandoned') this.#wait(key);
    this.#settle();
  }

  /**
   * Takes no further keys in and forgets the delayed ones. `drain` still hands out what waits; `abandon` hands out nothing more.
   * Resolves when no key is in flight (and with `drain`, none waits either). A drain can be cut short by a later `abandon`.
   */
  shutDown(mode: 'drain' | 'abandon'): Promise<void> {
    if (this.#state !== 'abandoned') this.#state = mode === 'drain' ? 'draining' : 'abandoned';
    this.#delayed.clear();
    this.#setTimer();
    if (this.#state === 'abandoned') {
      this.#order.clear();
      this.#waiting.clear();
      this.#marked.clear();
    }
    return new Promise((resolve) => {
      this.#idle.add(resolve);
      this.#settle();
    });
  }

  metrics(): QueueMetrics {
    return {
      depth: this.#order.size,
      delayed: this.#delayed.size,
      inFlight: this.#inFlight.size,
      failing: this.#failures.size,
      adds: this.#adds,
      retries: this.#retries,
      completed: this.#completed,
    };
  }

  #makeDue(key: string): void {
    if (this.#inFlight.has(key)) this.#marked.add(key);
    else if (!this.#waiting.has(key)) this.#wait(key);
  }

  #wait(key: string): void {
    this.#waiting.add(key);
    this.#order.push(key);
    if (this.#takers.size === 0 || this.#isHandingOut) return;
    // Not at once, so that several adds of one key in a row are one piece of work also when a worker is free.
    this.#isHandingOut = true;
    queueMicrotask(this.#handOut);
  }

  readonly #handOut = (): void => {
    this.#isHandingOut = false;
    for (const taker of this.#takers) {
      const key = this.#next();
      if (key === undefined) return;
      taker(key);
    }
  };

  /** The first waiting key, from now on in flight. */
  #next(): string | undefined {
    const key = this.#order.shift();
    if (key === undefined) return undefined;
    this.#waiting.delete(key);
    this.#inFlight.add(key);
    return key;
  }

  #isOver(): boolean {
    if (this.#state === 'open') return false;
    return this.#state === 'abandoned' || (this.#order.size === 0 && this.#inFlight.size === 0);
  }

  #settle(): void {
    if (!this.#isOver()) return;
    for (const taker of [...this.#takers]) taker(undefined);
    if (this.#inFlight.size > 0) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }

  #setTimer(): void {
    const dueAt = this.#delayed.nextDueAt ?? Number.POSITIVE_INFINITY;
    if (dueAt === this.#timerDueAt) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#timerDueAt = dueAt;
    if (dueAt !== Number.POSITIVE_INFINITY) this.#cancelTimer = this.#clock.schedule(dueAt - this.#clock.monotonic(), this.#wake);
  }

  readonly #wake = (): void => {
    this.#cancelTimer = undefined;
    this.#timerDueAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.monotonic();
    for (let key = this.#delayed.takeDue(now); key !== undefined; key = this.#delayed.takeDue(now)) this.#makeDue(key);
    this.#setTimer();
  };
}

/** The waits between tries of one key: quick at first, since most failures pass at once, and five minutes at most. */
const defaultRetryBackoff: BackoffOptions = { firstMs: 50, maxMs: 300_000, factor: 2 };

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly backoff?: BackoffOptions | undefined;
}

/** One moment of a queue. Totals only grow. */
export interface QueueMetrics {
  /** Keys that are due and that no worker has yet. */
  readonly depth: number;
  readonly delayed: number;
  readonly inFlight: number;
  /** Keys whose last try failed. */
  readonly failing: number;
  readonly adds: number;
  readonly retries: number;
  readonly completed: number;
}
