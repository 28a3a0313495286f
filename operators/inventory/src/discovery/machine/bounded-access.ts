import { type Clock, StatusError, sleep } from '@quartermaster/kernel';

/**
 * Reads what may hang: a driver that waits for a broken device keeps whoever reads its files, and nothing ends that. Nobody waits longer than `timeoutMs`; and what is still being read is not
 * begun again, since each such read keeps one of the few threads of this process that read files.
 */
export class BoundedAccess {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #hanging = new Set<string>();

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Throws `unavailable` when it takes too long, and at once while an earlier access to `what` still goes on that did. */
  async run<T>(what: string, read: () => Promise<T>): Promise<T> {
    if (this.#hanging.has(what)) throw new StatusError('unavailable', `${what} is not read: an earlier attempt hangs`);
    const giveUp = new AbortController();
    const tooLong = sleep(this.#clock, this.#timeoutMs, giveUp.signal).then(() => {
      this.#hanging.add(what);
      throw new StatusError('unavailable', `${what} could not be read within ${this.#timeoutMs} ms`);
    });
    tooLong.catch(() => {});
    const work = read().finally(() => this.#hanging.delete(what));
    try {
      return await Promise.race([work, tooLong]);
    } finally {
      giveUp.abort();
    }
  }
}
