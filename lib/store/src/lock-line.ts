/**
 * Lets work that needs the same locks wait here, in the order in which it came, instead of in the database: there each waiter would hold a connection, and a few
 * busy objects would leave none for the others. Whoever comes takes its place behind all of its locks at once, so that nobody ever waits in a circle.
 */
export class LockLine {
  readonly #last = new Map<string, Promise<unknown>>(); // lock -> the end of the work that came last

  async run<T>(locks: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = new Set(locks.flatMap((lock) => this.#last.get(lock) ?? []));
    const running = before.size === 0 ? work() : Promise.allSettled(before).then(work);
    for (const lock of locks) this.#last.set(lock, running);
    try {
      return await running;
    } finally {
      for (const lock of locks) if (this.#last.get(lock) === running) this.#last.delete(lock);
    }
  }
}
