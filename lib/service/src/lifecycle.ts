/**
 * An orderly stop. Parts are added in the order in which they start and stop in the reverse order, one after the other. Each may take
 * half of the time that is left, the last one all of it: most need none, so the few that need time get it, and one that hangs leaves some to
 * the others. What does not stop within its time is told to give up and left behind; what has not stopped when all time is over is named.
 */
import { type Clock, type Log, messageOf, StatusError, silentLog, systemClock } from '@quartermaster/kernel';

export type StopReason =
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'request'; readonly by: string }
  | { readonly kind: 'failure'; readonly error: unknown };

/** How long a part has to stop, and when to give up. */
export interface StopDeadline {
  readonly withinMs: number;
  /** Aborts when that time is over. */
  readonly signal: AbortSignal;
}

export interface Part {
  readonly name: string;
  stop(deadline: StopDeadline): void | Promise<void>;
}

export interface StopReport {
  readonly reason: StopReason;
  readonly tookMs: number;
  /** Names of parts that did not stop in time. */
  readonly notStopped: readonly string[];
  /** Parts whose stop failed. */
  readonly failed: readonly { readonly name: string; readonly error: unknown }[];
}

export interface LifecycleOptions {
  /** For all parts together. Default 5 s. */
  readonly deadlineMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

export class Lifecycle {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #deadlineMs: number;
  readonly #parts: Part[] = [];
  readonly #begun = new AbortController();
  readonly #ended = Promise.withResolvers<StopReport>();
  #stopping = false;

  constructor(options: LifecycleOptions = {}) {
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLog;
    this.#deadlineMs = options.deadlineMs ?? 5000;
  }

  /** Aborts when the stop begins. */
  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  /** Resolves when everything has stopped or was left behind. */
  get ended(): Promise<StopReport> {
    return this.#ended.promise;
  }

  /** To be called before the part starts, so that it is not forgotten when the stop begins meanwhile. */
  add(part: Part): void {
    if (this.#stopping) throw new StatusError('failed_precondition', `${part.name} cannot be started: the process is shutting down`);
    this.#parts.push(part);
  }

  /** Stops everything once. Later calls wait for the same end, and their reason is ignored. Never rejects. */
  stop(reason: StopReason): Promise<StopReport> {
    if (!this.#stopping) {
      this.#stopping = true;
      this.#begun.abort(new StatusError('unavailable', 'the process is shutting down'));
      void this.#stopAll(reason);
    }
    return this.#ended.promise;
  }

  async #stopAll(reason: StopReason): Promise<void> {
    const beganAt = this.#clock.monotonic();
    const leftMs = (): number => Math.max(0, beganAt + this.#deadlineMs - this.#clock.monotonic());
    const failures: { name: string; error: unknown }[] = [];
    const running = new Map<string, Promise<void>>(); // name -> its stop, while it is not over
    const waiting = this.#parts.toReversed();
    for (const [i, part] of waiting.entries()) {
      const deadline = this.#deadline(i === waiting.length - 1 ? leftMs() : leftMs() / 2);
      const stopped = this.#stopOne(part, deadline, failures).finally(() => {
        deadline.cancel();
        running.delete(part.name);
      });
      running.set(part.name, stopped);
      await Promise.race([stopped, deadline.over]);
      if (running.has(part.name)) this.#log.warn('part has not stopped within its time, going on without it', { part: part.name });
    }
    const rest = this.#deadline(leftMs());
    await Promise.race([Promise.all(running.values()), rest.over]);
    rest.cancel();
    const notStopped = [...running.keys()];
    const tookMs = Math.round(this.#clock.monotonic() - beganAt);
    if (notStopped.length > 0) this.#log.error('parts did not stop in time', { parts: notStopped, deadlineMs: this.#deadlineMs });
    this.#ended.resolve({ reason, tookMs, notStopped, failed: failures });
  }

  async #stopOne(part: Part, deadline: StopDeadline, failures: { name: string; error: unknown }[]): Promise<void> {
    try {
      await part.stop(deadline);
      this.#log.debug('part stopped', { part: part.name });
    } catch (thrown) {
      failures.push({ name: part.name, error: thrown });
      this.#log.error('part failed to stop', { part: part.name, error: thrown, reason: messageOf(thrown) });
    }
  }

  #deadline(withinMs: number): StopDeadline & { readonly over: Promise<void>; cancel(): void } {
    const controller = new AbortController();
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.schedule(withinMs, () => {
      controller.abort(new StatusError('unavailable', `the time to stop is over (${Math.round(withinMs)} ms)`));
      resolve();
    });
    return { withinMs, signal: controller.signal, over, cancel };
  }
}
