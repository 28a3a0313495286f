/** Where a role leaves what it started for the parts beside it in the process. A role that is started again replaces what it left. */
export class Slot<T> {
  readonly #listeners = new Set<() => void>();
  #current: T | undefined;

  get current(): T | undefined {
    return this.#current;
  }

  put(running: T): void {
    this.#current = running;
    for (const listener of this.#listeners) listener();
  }

  /** Calls back at each `put`. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
