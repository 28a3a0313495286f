/** Runs tasks of one key one after the other, in the order in which they came, and those of different keys side by side. */
export class KeyOrder {
  readonly #last = new Map<string, Promise<unknown>>(); // key -> its newest task

  run<R>(key: string, task: () => Promise<R>): Promise<R> {
    const before = this.#last.get(key);
    const result = before === undefined ? task() : Promise.allSettled([before]).then(task);
    this.#last.set(key, result);
    void Promise.allSettled([result]).then(() => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    });
    return result;
  }
}
