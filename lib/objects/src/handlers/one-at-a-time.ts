/**
 * Lets work on the same thing wait here, in the order in which it came, instead of in the database: there each waiter would hold a connection, and a few
 * busy objects would leave none for the others.
 */
export class OneAtATime {
  readonly #last = new Map<string, Promise<unknown>>(); // key -> the end of the work that came last

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const running = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#last.get(key) === running) this.#last.delete(key);
    }
  }
}
