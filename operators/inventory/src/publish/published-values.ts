/** The values of one kind in the newest generation, by name. */
export class PublishedValues<T> {
  readonly #isSame: (a: T, b: T) => boolean;
  readonly #values = new Map<string, T>();
  #all: readonly T[] | undefined;

  constructor(isSame: (a: T, b: T) => boolean) {
    this.#isSame = isSame;
  }

  get(name: string): T | undefined {
    return this.#values.get(name);
  }

  names(): Iterable<string> {
    return this.#values.keys();
  }

  /** In no order. The same list until something changed. */
  all(): readonly T[] {
    this.#all ??= [...this.#values.values()];
    return this.#all;
  }

  /** Takes what is true of these names now; `valueOf` gives nothing for one that is gone. Returns the names of which something is different. */
  update(names: Iterable<string>, valueOf: (name: string) => T | undefined): string[] {
    return [...new Set(names)].filter((name) => this.#replace(name, valueOf(name)));
  }

  /** The values of these names, and those names that have none. */
  found(names: Iterable<string>): [T[], string[]] {
    const there: T[] = [];
    const gone: string[] = [];
    for (const name of names) {
      const value = this.#values.get(name);
      if (value === undefined) gone.push(name);
      else there.push(value);
    }
    return [there, gone];
  }

  #replace(name: string, value: T | undefined): boolean {
    const old = this.#values.get(name);
    if (old === value || (old !== undefined && value !== undefined && this.#isSame(old, value))) return false;
    this.#all = undefined;
    if (value === undefined) this.#values.delete(name);
    else this.#values.set(name, value);
    return true;
  }
}
