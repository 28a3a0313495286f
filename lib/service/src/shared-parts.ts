import { StatusError } from '@quartermaster/kernel';

/** Names a part that roles of one process share, and its type: the embedded cluster, the bus. Make one with `new`, at the top of a file. */
export class SharedKey<T> {
  readonly name: string;
  readonly #values = new WeakMap<SharedParts, T>(); // process -> part

  constructor(name: string) {
    this.name = name;
  }

  /** For `SharedParts` alone. */
  read(parts: SharedParts): { readonly value: T } | undefined {
    return this.#values.has(parts) ? { value: this.#values.get(parts) as T } : undefined;
  }

  /** For `SharedParts` alone. */
  write(parts: SharedParts, value: T): void {
    this.#values.set(parts, value);
  }
}

/** The embedded parts of one process, by typed key. */
export class SharedParts {
  /** Each key is given once. */
  provide<T>(key: SharedKey<T>, value: T): void {
    if (key.read(this) !== undefined) throw new StatusError('internal', `shared part ${key.name} is provided twice`);
    key.write(this, value);
  }

  /** The part, or undefined where none is embedded: the role then connects to the real one. */
  find<T>(key: SharedKey<T>): T | undefined {
    return key.read(this)?.value;
  }

  get<T>(key: SharedKey<T>): T {
    const found = key.read(this);
    if (found !== undefined) return found.value;
    throw new StatusError('failed_precondition', `shared part ${key.name} is not here: start what provides it before what needs it`);
  }
}
