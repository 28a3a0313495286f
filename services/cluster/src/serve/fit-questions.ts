import { type Clock, limit, StatusError, sleep } from '@quartermaster/kernel';

/** Questions that are answered or wait, of all callers and of one. One more is refused before it costs anything. */
const maxQuestions = 32;
const maxOfOne = 4;
const retryAfterMs = 1_000;
/** What is over sooner holds nobody up. */
const shortMs = 10;

/**
 * Whoever may read may ask what fits, and an answer may take long. Questions are answered one at a time; after a long one the process has as long for everything
 * else, so that reservations and the lease of the leader get at least half of it, however much is asked.
 */
export class FitQuestions {
  readonly #clock: Clock;
  readonly #oneAtATime = limit(1);
  #rest = Promise.resolve();
  #count = 0;
  readonly #byCaller = new Map<string, number>(); // caller -> its questions

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `resource_exhausted` when too many wait, or too many of this caller, who must not keep all others from asking. One who has gone away by its turn costs nothing more. */
  async ask<T>(caller: string, answer: () => T, signal: AbortSignal): Promise<T> {
    const own = this.#byCaller.get(caller) ?? 0;
    if (own >= maxOfOne || this.#count >= maxQuestions) {
      const whose = own >= maxOfOne ? `${own} questions of yours` : `${this.#count} questions`;
      const message = `${whose} about what fits wait already: ask again when they are answered`;
      throw new StatusError('resource_exhausted', message, { details: { retryAfterMs } });
    }
    this.#count += 1;
    this.#byCaller.set(caller, own + 1);
    try {
      return await this.#oneAtATime(async () => {
        await this.#rest;
        signal.throwIfAborted();
        return this.#answer(answer);
      });
    } finally {
      this.#count -= 1;
      const left = (this.#byCaller.get(caller) ?? 1) - 1;
      if (left === 0) this.#byCaller.delete(caller);
      else this.#byCaller.set(caller, left);
    }
  }

  #answer<T>(answer: () => T): T {
    const startedAt = this.#clock.monotonic();
    try {
      return answer();
    } finally {
      const tookMs = this.#clock.monotonic() - startedAt;
      this.#rest = tookMs < shortMs ? nextRound() : sleep(this.#clock, tookMs);
    }
  }
}

/** Once everything that has arrived meanwhile was heard. */
const nextRound = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
