/** The last error of a key that has not succeeded since. */
export interface RecentError {
  readonly key: string;
  readonly message: string;
  /** Wall clock, in ms. */
  readonly at: number;
  /** Failures in a row; 0 for an error that is not retried. */
  readonly failures: number;
}

/** The last error per key, of the `limit` keys that failed most recently. */
export class RecentErrors {
  readonly #limit: number;
  readonly #byKey = new Map<string, RecentError>(); // key -> its error; the oldest first

  constructor(limit: number) {
    this.#limit = limit;
  }

  record(error: RecentError): void {
    this.#byKey.delete(error.key);
    this.#byKey.set(error.key, error);
    if (this.#byKey.size <= this.#limit) return;
    const [oldest] = this.#byKey.keys();
    if (oldest !== undefined) this.#byKey.delete(oldest);
  }

  clear(key: string): void {
    this.#byKey.delete(key);
  }

  /** The newest first. */
  list(): RecentError[] {
    return [...this.#byKey.values()].reverse();
  }
}
