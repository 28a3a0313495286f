import { type Clock, type Log, pause } from '@quartermaster/kernel';

export interface RunningPartsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Told when a part cannot go on: a bug, since parts live with everything that may go wrong around them. Undefined: nobody catches it. */
  readonly fail?: ((thrown: unknown) => void) | undefined;
}

/** What goes on beside the rest until all of it is stopped. */
export class RunningParts {
  readonly #options: RunningPartsOptions;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>[] = [];

  constructor(options: RunningPartsOptions) {
    this.#options = options;
  }

  run(part: string, work: (signal: AbortSignal) => Promise<unknown>): void {
    const { log, fail } = this.#options;
    const { signal } = this.#ending;
    const failed = (thrown: unknown): void => {
      if (signal.aborted) return;
      log.error('a part cannot go on', { part, error: thrown });
      if (fail === undefined) throw thrown;
      fail(thrown);
    };
    this.#running.push(work(signal).then(() => undefined, failed));
  }

  every(part: string, periodMs: number, work: () => void): void {
    const { clock } = this.#options;
    this.run(part, async (signal) => {
      while (!signal.aborted) {
        await pause(clock, periodMs, signal);
        if (!signal.aborted) work();
      }
    });
  }

  async stop(): Promise<void> {
    this.#ending.abort(new Error('the inventory is stopped'));
    await Promise.allSettled(this.#running);
  }
}
