/**
 * A circuit breaker in front of one dependency.
 *
 * Closed: every call goes through. Failures in a row are counted; an answer of any kind sets the count back to zero. When the count
 * reaches `maxFailures`, the breaker opens.
 *
 * Open: every call is refused at once, without reaching the dependency. Once `openMs` have passed, the next call finds the breaker
 * half-open.
 *
 * Half-open: exactly one call, the probe, goes through; every other is refused until the probe ends. An answer closes the breaker, a
 * failure opens it for another `openMs`, and a probe that says nothing about the dependency (its caller gave up) leaves it
 * half-open for the next call.
 *
 * A call that ends after the breaker has changed state since it began is counted, but no longer moves the breaker.
 */
import type { Clock } from './clock.ts';
import { StatusError } from './status-error.ts';

export interface BreakerOptions {
  /** The dependency, as errors name it. */
  readonly name: string;
  readonly clock: Clock;
  /** Failures in a row that open it. */
  readonly maxFailures: number;
  /** How long it stays open before it lets a probe through. */
  readonly openMs: number;
  /** What a thrown value says about the dependency; `judgeByCode` when absent. */
  readonly judge?: ((thrown: unknown) => CallVerdict) | undefined;
}

/** `answered`: the dependency works, even if it said no. `failed`: it does not. `unknown`: the call ended for another reason. */
export type CallVerdict = 'answered' | 'failed' | 'unknown';

export type BreakerState = 'closed' | 'open' | 'half-open';

export interface BreakerStatus {
  readonly state: BreakerState;
  readonly failuresInARow: number;
  /** Until the next probe; zero unless open. */
  readonly retryAfterMs: number;
  /** Since the breaker was made. */
  readonly answered: number;
  readonly failed: number;
  readonly refused: number;
  readonly opened: number;
}

export class Breaker {
  readonly #options: BreakerOptions;
  #isOpen = false;
  #isProbing = false;
  #openUntil = 0;
  #failuresInARow = 0;
  /** Grows with each change of state, so that a call can tell whether it began before. */
  #era = 0;
  readonly #counts = { answered: 0, failed: 0, refused: 0, opened: 0 };

  constructor(options: BreakerOptions) {
    if (!Number.isInteger(options.maxFailures) || options.maxFailures < 1) {
      throw new StatusError(
        'invalid_argument',
        `breaker ${options.name}: maxFailures ${options.maxFailures} must be an integer of at least 1`,
      );
    }
    this.#options = options;
  }

  /** Calls `call` and passes on what it returns or throws. While open, throws `unavailable` instead. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    const state = this.status().state;
    if (state === 'open' || (state === 'half-open' && this.#isProbing)) throw this.#refuse(state);
    const isProbe = state === 'half-open';
    if (isProbe) this.#isProbing = true;
    const era = this.#era;
    try {
      const result = await call();
      this.#end('answered', era);
      return result;
    } catch (thrown) {
      this.#end((this.#options.judge ?? judgeByCode)(thrown), era);
      throw thrown;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }

  status(): BreakerStatus {
    const retryAfterMs = this.#isOpen ? Math.max(0, this.#openUntil - this.#options.clock.monotonic()) : 0;
    const state = !this.#isOpen ? 'closed' : retryAfterMs > 0 ? 'open' : 'half-open';
    return { state, failuresInARow: this.#failuresInARow, retryAfterMs, ...this.#counts };
  }

  #refuse(state: BreakerState): StatusError {
    this.#counts.refused += 1;
    const { name } = this.#options;
    const { failuresInARow, retryAfterMs } = this.status();
    const when = state === 'open' ? `it is tried again in ${Math.ceil(retryAfterMs)} ms` : 'a trial call is under way; try again after it';
    return new StatusError('unavailable', `${name} failed ${failuresInARow} times in a row; ${when}`, { details: { retryAfterMs } });
  }

  #end(verdict: CallVerdict, era: number): void {
    if (verdict === 'unknown') return;
    this.#counts[verdict] += 1;
    if (era !== this.#era) return;
    if (verdict === 'answered') this.#close();
    else this.#fail();
  }

  #close(): void {
    this.#failuresInARow = 0;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#era += 1;
  }

  #fail(): void {
    this.#failuresInARow += 1;
    if (!this.#isOpen && this.#failuresInARow < this.#options.maxFailures) return;
    this.#isOpen = true;
    this.#openUntil = this.#options.clock.monotonic() + this.#options.openMs;
    this.#era += 1;
    this.#counts.opened += 1;
  }
}

/** A refusal for the caller's own fault is an answer; being cancelled says nothing; anything else is a failure. */
export function judgeByCode(thrown: unknown): CallVerdict {
  if (thrown instanceof StatusError) return thrown.code === 'unavailable' || thrown.code === 'internal' ? 'failed' : 'answered';
  return thrown instanceof Error && thrown.name === 'AbortError' ? 'unknown' : 'failed';
}
