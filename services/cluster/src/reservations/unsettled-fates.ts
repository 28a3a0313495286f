import { Backoff, type Clock, type Log, messageOf, pause, type Random, StatusError } from '@quartermaster/kernel';

export interface UnsettledFatesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Of the term. */
  readonly signal: AbortSignal;
}

const backoff = { firstMs: 50, maxMs: 5_000, factor: 2 };

/** Orders of which nobody knows what became of a write. Each is settled until somebody does; whoever asks for one meanwhile is told to ask again. */
export class UnsettledFates {
  readonly #options: UnsettledFatesOptions;
  readonly #names = new Set<string>();

  constructor(options: UnsettledFatesOptions) {
    this.#options = options;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  refuse(name: string): void {
    if (!this.#names.has(name)) return;
    throw new StatusError('unavailable', `what became of the last write of reservation ${name} is not known yet: ask again in a moment`);
  }

  /** Has it settled until that does not throw, or the term ends. Returns what the caller is told now. */
  add(name: string, cause: unknown, settle: () => Promise<void>): StatusError {
    this.#names.add(name);
    void this.#run(name, settle);
    return new StatusError('unavailable', `what became of the write of reservation ${name} is not known yet: ask again in a moment`, {
      cause,
    });
  }

  async #run(name: string, settle: () => Promise<void>): Promise<void> {
    const { clock, random, log, signal } = this.#options;
    const wait = new Backoff(backoff, random);
    while (!signal.aborted) {
      await pause(clock, wait.nextMs(), signal);
      if (signal.aborted) break;
      try {
        await settle();
        break;
      } catch (thrown) {
        log.debug('the fate of a write is still unknown', { reservation: name, error: messageOf(thrown) });
      }
    }
    this.#names.delete(name);
  }
}
