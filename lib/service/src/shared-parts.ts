import { StatusError } from '@quartermaster/kernel';

/** Names a part that roles of one process share, and its type: the embedded cluster, the bus. Make one with `new`, at the top of a file. */
export class SharedKey<T> {
  readonly name: string;
  readonly #values = new WeakMap<SharedParts, T>(); // process -> part

  constructor(name: string) {
    this.name = name;
  }

  /** For `SharedParts` alone. */
  get values(): WeakMap<SharedParts, T> {
    return this.#values;
  }
}

/** The embedded parts of one process, by typed key. */
export class SharedParts {
  /** Each key is given once. */
  provide<T>(key: SharedKey<T>, value: T): void {
    if (key.values.has(this)) throw new StatusError('internal', `shared part ${key.name} is provided twice`);
    key.values.set(this, value);
  }

  /** The part, or undefined where none is embedded: the role then connects to the real one. */
  find<T>(key: SharedKey<T>): T | undefined {
    return key.values.get(this);
  }
}
