/** Names by what they have to do with. */
export class NameIndex {
  readonly #names = new Map<string, Set<string>>(); // key -> names

  add(key: string, name: string): void {
    const names = this.#names.get(key);
    if (names === undefined) this.#names.set(key, new Set<string>().add(name));
    else names.add(name);
  }

  remove(key: string, name: string): void {
    const names = this.#names.get(key);
    names?.delete(name);
    if (names?.size === 0) this.#names.delete(key);
  }

  of(key: string): ReadonlySet<string> {
    return this.#names.get(key) ?? none;
  }
}

const none: ReadonlySet<string> = new Set();
