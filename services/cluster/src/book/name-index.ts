/** Names by what they have to do with. */
export class NameIndex {
  readonly #names = new Map<string, string | Set<string>>(); // key -> names; most have one

  add(key: string, name: string): void {
    const names = this.#names.get(key);
    if (names === undefined) this.#names.set(key, name);
    else if (typeof names === 'object') names.add(name);
    else if (names !== name) this.#names.set(key, new Set([names, name]));
  }

  remove(key: string, name: string): void {
    const names = this.#names.get(key);
    if (typeof names === 'object') names.delete(name);
    if (names === name || (typeof names === 'object' && names.size === 0)) this.#names.delete(key);
  }

  of(key: string): ReadonlySet<string> {
    const names = this.#names.get(key);
    return typeof names === 'string' ? new Set([names]) : (names ?? none);
  }
}

const none: ReadonlySet<string> = new Set();
