import { type Patience, StatusError } from '@quartermaster/kernel';

/**
 * Lets work that needs the same locks wait here, in the order in which it came, instead of in the database: there each waiter would hold a connection, and a few
 * busy objects would leave none for the others. Whoever comes takes its place behind all of its locks at once, so that nobody ever waits in a circle. Whoever loses
 * patience keeps its place, for those behind it, until those before it are done.
 */
export class LockLine {
  readonly #patience: Patience;
  readonly #last = new Map<string, Promise<void>>(); // lock -> the place that was taken last, until it is free

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  async run<T>(locks: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = new Set(locks.flatMap((lock) => this.#last.get(lock) ?? []));
    const running = before.size === 0 ? work() : this.#turn(before).then(work);
    const place: Promise<void> = Promise.allSettled([running, ...before]).then(() => {
      for (const lock of locks) if (this.#last.get(lock) === place) this.#last.delete(lock);
    });
    for (const lock of locks) this.#last.set(lock, place);
    return await running;
  }

  #turn(before: Iterable<Promise<void>>): Promise<void> {
    const { clock, waitMs, message } = this.#patience;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = clock.schedule(waitMs, () => reject(new StatusError('unavailable', message)));
    void Promise.all(before).then(() => {
      cancel();
      resolve();
    });
    return promise;
  }
}
