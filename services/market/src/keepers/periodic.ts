import { type Clock, type Log, messageOf } from '@quartermaster/kernel';

export interface PeriodicOptions {
  readonly intervalMs: number;
  /** For the log: what could not be done. */
  readonly failure: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Work that is done again and again, the next time a while after the last one is over. A failure is logged, and the next time tries again. */
export class Periodic {
  readonly #work: (signal: AbortSignal) => Promise<void>;
  readonly #options: PeriodicOptions;
  readonly #ended = new AbortController();
  #cancel: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(work: (signal: AbortSignal) => Promise<void>, options: PeriodicOptions) {
    this.#work = work;
    this.#options = options;
  }

  start(): void {
    this.#schedule(0);
  }

  /** Waits for what is being done. */
  async stop(): Promise<void> {
    this.#ended.abort();
    this.#cancel();
    await this.#running;
  }

  #schedule(afterMs: number): void {
    const { clock, log, intervalMs, failure } = this.#options;
    this.#cancel = clock.schedule(afterMs, () => {
      this.#running = this.#work(this.#ended.signal)
        .catch((thrown: unknown) => log.warn(failure, { error: messageOf(thrown) }))
        .finally(() => {
          if (!this.#ended.signal.aborted) this.#schedule(intervalMs);
        });
    });
  }
}
