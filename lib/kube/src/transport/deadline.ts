import { connectionError, timeoutError } from './failure-from-answer.ts';

/** A time limit joined with the caller's signal, which tells afterwards which of the two ended a request. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #afterMs: number;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #isArmed = true;
  #hasFired = false;

  constructor(afterMs: number, caller: AbortSignal | undefined) {
    this.#afterMs = afterMs;
    this.#caller = caller;
    this.#timer = setTimeout(() => {
      this.#hasFired = true;
      this.#controller.abort();
    }, afterMs);
    if (caller?.aborted === true) this.#controller.abort(caller.reason);
    caller?.addEventListener('abort', this.#forward, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  remainingMs(): number {
    return this.#startedAt + this.#afterMs - performance.now();
  }

  /** By the clock too: a server that was told the limit may cut the connection before our own timer gets its turn. */
  get timedOut(): boolean {
    return this.#hasFired || (this.#isArmed && this.remainingMs() <= 0);
  }

  /** The error a caller should see for what undici threw. */
  explain(what: string, error: unknown): unknown {
    if (this.#caller?.aborted === true) return this.#caller.reason;
    return this.timedOut ? timeoutError(what, this.#afterMs) : connectionError(what, error);
  }

  /** Limits work that takes no signal; it goes on unheard. */
  async within<T>(what: string, work: Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const end = (): void => reject(this.explain(what, signal.reason));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    try {
      return await Promise.race([work, ended]);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  disarm(): void {
    this.#isArmed = false;
    clearTimeout(this.#timer);
  }

  end(): void {
    this.disarm();
    this.#caller?.removeEventListener('abort', this.#forward);
  }

  readonly #forward = (): void => this.#controller.abort(this.#caller?.reason);
}
