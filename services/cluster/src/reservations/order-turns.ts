import { limit, StatusError } from '@quartermaster/kernel';

export interface OrderTurnsOptions {
  /** Orders that are worked on at the same time. */
  readonly atOnce: number;
  /** Calls that are worked on or wait. One more is refused before it costs anybody anything. */
  readonly maxCalls: number;
}

const retryAfterMs = 1_000;

/** Each order is worked on by one call at a time, in the order in which they came. */
export class OrderTurns {
  readonly #last = new Map<string, Promise<void>>(); // order -> when the last call that came for it is done
  readonly #maxCalls: number;
  readonly #limited: ReturnType<typeof limit>;
  #calls = 0;

  constructor({ atOnce, maxCalls }: OrderTurnsOptions) {
    this.#maxCalls = maxCalls;
    this.#limited = limit(atOnce);
  }

  isBusy(order: string): boolean {
    return this.#last.has(order);
  }

  /** For a caller from outside. One that has gone away by its turn costs nothing more; once begun, the work goes on without it. */
  async call<T>(order: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#calls >= this.#maxCalls) {
      throw new StatusError('resource_exhausted', `${this.#calls} calls wait already: ask again in a moment`, {
        details: { retryAfterMs },
      });
    }
    this.#calls += 1;
    try {
      return await this.run(order, async () => {
        signal?.throwIfAborted();
        return await work();
      });
    } finally {
      this.#calls -= 1;
    }
  }

  /** For what must be done, whoever else waits. */
  async run<T>(order: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(order);
    const { promise: done, resolve } = Promise.withResolvers<void>();
    this.#last.set(order, done);
    try {
      await before;
      return await this.#limited(work);
    } finally {
      if (this.#last.get(order) === done) this.#last.delete(order);
      resolve();
    }
  }
}
