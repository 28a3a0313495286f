import {
  type BackoffOptions,
  type Clock,
  codeOf,
  type Log,
  messageOf,
  type Random,
  StatusError,
  silentLog,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import { type RecentError, RecentErrors } from './recent-errors.ts';
import type { Reconciler } from './reconciler.ts';
import type { Source, SourceListener } from './source.ts';
import { type ReconcileVerdict, verdictOfError, verdictOfOutcome } from './verdict.ts';
import { type QueueMetrics, WorkQueue } from './work-queue.ts';

export interface ControllerOptions {
  readonly reconciler: Reconciler;
  readonly sources: readonly Source[];
  /** Reconciles at the same time, of different keys. Default 1. */
  readonly workers?: number | undefined;
  /** Every key is reconciled this often, give or take a tenth, even when nothing seems to have changed. Default 10 minutes. */
  readonly fullPassIntervalMs?: number | undefined;
  /** After this the signal of a reconcile aborts. The key stays with it until it returns. Default: no limit. */
  readonly reconcileTimeoutMs?: number | undefined;
  readonly backoff?: BackoffOptions | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
  /** Told of every reconcile after the queue was, for metrics and tests. What it throws is logged. */
  readonly onOutcome?: ((event: ReconcileEvent) => void) | undefined;
}

export interface ReconcileEvent {
  readonly key: string;
  /** `stopped`: it ended with an error after the controller was told to stop, which decides nothing. */
  readonly kind: ReconcileVerdict['kind'] | 'stopped';
  readonly error: unknown;
  readonly durationMs: number;
  /** When the key runs again without any change, if that was decided. */
  readonly afterMs: number | undefined;
}

export interface ControllerStatus {
  readonly state: 'new' | 'syncing' | 'running' | 'stopping' | 'stopped';
  /** All sources have been read completely, so that absent means gone. */
  readonly synced: boolean;
  readonly queue: QueueMetrics;
  readonly fullPasses: number;
  /** Reconciles by what they came to. */
  readonly outcomes: Readonly<Record<ReconcileEvent['kind'], number>>;
  /** Of at most 100 keys, the newest first. A success removes its key. */
  readonly errors: readonly RecentError[];
}

/** A stale copy is mended by the watch within milliseconds, so the first wait is short; one that stays is no longer a matter of luck. */
const conflictBackoff: BackoffOptions = { firstMs: 20, maxMs: 5000, factor: 2 };

/** Conflicts in a row that are nobody's concern. Further ones show in the status: two writers fight, or the cache has fallen behind. */
const quietConflicts = 5;

/**
 * Runs one reconciler: keys come from sources and from a periodic full pass, a queue orders them, workers reconcile them. No
 * reconcile starts before every source is complete. Nothing that a reconciler does, throwing included, ends the loop.
 */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  readonly #queue: WorkQueue;
  readonly #errors = new RecentErrors(100);
  readonly #running = new Set<AbortController>();
  readonly #outcomes: Record<ReconcileEvent['kind'], number> = { done: 0, again: 0, terminal: 0, conflict: 0, failed: 0, stopped: 0 };
  #state: ControllerStatus['state'] = 'new';
  #fullPasses = 0;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#log = options.log ?? silentLog;
    this.#queue = new WorkQueue({
      clock: this.#clock,
      random: this.#random,
      backoff: options.backoff,
    });
  }

  /** Asks for a key from outside the sources: a timer, a webhook, a person. */
  enqueue(key: string): void {
    this.#queue.add(key);
  }

  status(): ControllerStatus {
    return {
      state: this.#state,
      synced: this.#options.sources.every((source) => source.isSynced()),
      queue: this.#queue.metrics(),
      fullPasses: this.#fullPasses,
      outcomes: { ...this.#outcomes },
      errors: this.#errors.list(),
    };
  }

  /**
   * Works until the signal aborts, then resolves when the last reconcile has returned. Each is told through its own signal. Rejects
   * only when a source can never become complete. To be called once.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#state !== 'new') throw new StatusError('internal', `controller ${this.#options.reconciler.name} was started twice`);
    this.#state = 'syncing';
    const subscriptions = this.#options.sources.map((source) => source.subscribe(this.#listener));
    const stop = (): void => this.#stop(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    let cancelFullPass: () => void = () => {};
    try {
      await this.#whenSynced(signal);
      if (!signal.aborted) {
        this.#state = 'running';
        this.#log.info('controller started', { controller: this.#options.reconciler.name, keys: this.#queue.metrics().depth });
        cancelFullPass = this.#scheduleFullPasses();
        await Promise.all(Array.from({ length: Math.max(this.#options.workers ?? 1, 1) }, () => this.#work(signal)));
      }
    } finally {
      cancelFullPass();
      signal.removeEventListener('abort', stop);
      for (const unsubscribe of subscriptions) unsubscribe();
      await this.#queue.shutDown('abandon');
      this.#state = 'stopped';
      this.#log.info('controller stopped', { controller: this.#options.reconciler.name });
    }
  }

  readonly #listener: SourceListener = {
    key: (key) => this.#queue.add(key),
    failed: (key, thrown) => this.#log.error('cannot map a changed object to keys', { ...this.#fieldsOf(key), error: messageOf(thrown) }),
  };

  async #whenSynced(signal: AbortSignal): Promise<void> {
    try {
      await Promise.all(this.#options.sources.map((source) => source.whenSynced(signal)));
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }

  #stop(reason: unknown): void {
    this.#state = 'stopping';
    void this.#queue.shutDown('abandon');
    for (const running of this.#running) running.abort(reason);
  }

  #scheduleFullPasses(): () => void {
    const every = this.#options.fullPassIntervalMs ?? 600_000;
    let cancel: () => void = () => {};
    const next = (): void => {
      cancel = this.#clock.schedule(every * (0.9 + 0.2 * this.#random.next()), () => {
        this.#fullPasses += 1;
        for (const source of this.#options.sources) source.visitAll(this.#listener);
        next();
      });
    };
    next();
    return () => cancel();
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.#queue.take(); key !== undefined; key = await this.#queue.take()) {
      const startedAt = this.#clock.monotonic();
      const verdict = await this.#attempt(key);
      const durationMs = this.#clock.monotonic() - startedAt;
      const settled = signal.aborted && 'error' in verdict ? this.#dropped(key, verdict.error) : this.#settle(key, verdict);
      this.#queue.done(key);
      this.#tell({ key, durationMs, ...settled });
    }
  }

  async #attempt(key: string): Promise<ReconcileVerdict> {
    const running = new AbortController();
    this.#running.add(running);
    const cancelTimeout = this.#limit(key, running);
    try {
      return verdictOfOutcome(await this.#options.reconciler.reconcile(key, running.signal));
    } catch (thrown) {
      return verdictOfError(thrown);
    } finally {
      cancelTimeout();
      this.#running.delete(running);
    }
  }

  #limit(key: string, running: AbortController): () => void {
    const limitMs = this.#options.reconcileTimeoutMs;
    if (limitMs === undefined) return () => {};
    return this.#clock.schedule(limitMs, () => {
      this.#log.warn('reconcile takes too long and was aborted', { ...this.#fieldsOf(key), limitMs });
      running.abort(new StatusError('unavailable', `reconcile of ${key} did not end within ${limitMs} ms`));
    });
  }

  /** The whole retry policy. */
  #settle(key: string, verdict: ReconcileVerdict): Omit<ReconcileEvent, 'key' | 'durationMs'> {
    switch (verdict.kind) {
      case 'done':
        this.#succeeded(key);
        this.#log.debug('reconciled', this.#fieldsOf(key));
        return { kind: 'done', error: undefined, afterMs: undefined };
      case 'again':
        this.#succeeded(key);
        this.#queue.addAfter(key, verdict.afterMs);
        this.#log.debug('reconciled for now', { ...this.#fieldsOf(key), afterMs: verdict.afterMs });
        return { kind: 'again', error: undefined, afterMs: verdict.afterMs };
      case 'terminal':
        this.#queue.forget(key);
        this.#failed(key, verdict.error);
        this.#log.warn('reconcile refused until the object changes', { ...this.#fieldsOf(key), error: messageOf(verdict.error) });
        return { kind: 'terminal', error: verdict.error, afterMs: undefined };
      case 'conflict': {
        const afterMs = this.#queue.retry(key, { backoff: conflictBackoff });
        if (this.#queue.failures(key) > quietConflicts) this.#failed(key, verdict.error);
        this.#log.debug('reconcile conflicted with a newer object', { ...this.#fieldsOf(key), afterMs });
        return { kind: 'conflict', error: verdict.error, afterMs };
      }
      case 'failed': {
        const afterMs = this.#queue.retry(key, { minMs: verdict.retryAfterMs });
        this.#failed(key, verdict.error);
        // Somebody else is away, which ends by itself and is no fault of this one.
        const level = codeOf(verdict.error) === 'unavailable' ? 'warn' : 'error';
        this.#log[level]('reconcile failed', { ...this.#fieldsOf(key), ...errorFields(verdict.error), afterMs });
        return { kind: 'failed', error: verdict.error, afterMs };
      }
    }
  }

  #dropped(key: string, error: unknown): Omit<ReconcileEvent, 'key' | 'durationMs'> {
    this.#log.debug('reconcile aborted: the controller is stopping', { ...this.#fieldsOf(key), error: messageOf(error) });
    return { kind: 'stopped', error, afterMs: undefined };
  }

  #succeeded(key: string): void {
    this.#queue.forget(key);
    this.#errors.clear(key);
  }

  #failed(key: string, error: unknown): void {
    this.#errors.record({ key, message: messageOf(error), at: this.#clock.now(), failures: this.#queue.failures(key) });
  }

  #tell(event: ReconcileEvent): void {
    this.#outcomes[event.kind] += 1;
    try {
      this.#options.onOutcome?.(event);
    } catch (thrown) {
      this.#log.error('outcome listener failed', { ...this.#fieldsOf(event.key), error: messageOf(thrown) });
    }
  }

  #fieldsOf(key: string): { readonly controller: string; readonly key: string } {
    return { controller: this.#options.reconciler.name, key };
  }
}

/** What is not an expected failure is a bug, and a bug needs its stack. */
function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  const code = codeOf(error);
  const stack = code === 'internal' && error instanceof Error ? error.stack : undefined;
  return { code, error: messageOf(error), stack };
}
