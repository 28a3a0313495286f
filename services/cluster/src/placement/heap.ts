/** The least of its values on top. */
export class Heap<T> {
  readonly #values: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get top(): T | undefined {
    return this.#values[0];
  }

  push(value: T): void {
    const values = this.#values;
    let at = values.length;
    values.push(value);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = values[above] as T;
      if (this.#compare(value, other) >= 0) break;
      values[at] = other;
      at = above;
    }
    values[at] = value;
  }

  dropTop(): void {
    const last = this.#values.pop();
    if (last === undefined || this.#values.length === 0) return;
    this.#values[0] = last;
    this.sinkTop();
  }

  /** Puts the value on top where it belongs, once it is no longer what it was. */
  sinkTop(): void {
    const values = this.#values;
    const value = values[0] as T;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= values.length) break;
      if (below + 1 < values.length && this.#compare(values[below + 1] as T, values[below] as T) < 0) below += 1;
      const other = values[below] as T;
      if (this.#compare(value, other) <= 0) break;
      values[at] = other;
      at = below;
    }
    values[at] = value;
  }
}
