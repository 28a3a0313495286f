import { type Backoff, type Clock, isTerminal, sleep } from '@quartermaster/kernel';

export interface LatestRunnerOptions<M> {
  readonly handle: (message: M, signal: AbortSignal) => Promise<void>;
  readonly isNewer: (message: M, than: M) => boolean;
  readonly clock: Clock;
  readonly backoff: Backoff;
  readonly onHandled: () => void;
  readonly onSkipped: () => void;
  readonly onError: (error: unknown, message: M) => void;
}

/**
 * Runs a handler with the newest message, one call at a time. Holds at most one message beside the one being handled, whatever
 * the speed of the two sides. A message that the handler threw at comes back after a wait, unless a newer one has come or
 * retrying cannot help.
 */
export class LatestRunner<M> {
  readonly #options: LatestRunnerOptions<M>;
  readonly #closing = new AbortController();
  #newest: M | undefined;
  #pending: M | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: LatestRunnerOptions<M>) {
    this.#options = options;
  }

  /** Old news is ignored. */
  offer(message: M): void {
    if (this.#closing.signal.aborted) return;
    if (this.#newest !== undefined && !this.#options.isNewer(message, this.#newest)) return;
    if (this.#pending !== undefined) this.#options.onSkipped();
    this.#newest = message;
    this.#pending = message;
    this.#loop ??= this.#run();
  }

  /** Resolves when the handler no longer runs. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    for (let message = this.#take(); message !== undefined; message = this.#take()) {
      try {
        await this.#options.handle(message, this.#closing.signal);
        this.#options.backoff.reset();
        this.#options.onHandled();
      } catch (error) {
        await this.#recover(error, message);
      }
    }
    this.#loop = undefined;
  }

  #take(): M | undefined {
    if (this.#closing.signal.aborted) return undefined;
    const message = this.#pending;
    this.#pending = undefined;
    return message;
  }

  async #recover(error: unknown, message: M): Promise<void> {
    this.#options.onError(error, message);
    if (isTerminal(error)) return;
    try {
      await sleep(this.#options.clock, this.#options.backoff.nextMs(), this.#closing.signal);
    } catch {
      return; // being closed
    }
    this.#pending ??= message;
  }
}
