/** Something that is wrong with an SDL. */
export interface Fault {
  /** A JSON pointer; empty for the document as a whole. */
  readonly path: string;
  /** CamelCase. */
  readonly code: string;
  /** The rule and the way out. It never holds a value of the environment or of credentials. */
  readonly message: string;
  /** Offset in the text, of what has no path. */
  readonly offset?: number | undefined;
}

/** More would help nobody, and would be a way to make a small text into a large answer. */
const maxFaults = 50;
const maxMessage = 400;

/** Collects faults: one for each place, the first that is told. */
export class FaultList {
  readonly #faults = new Map<string, Fault>(); // path, and the offset where there is none -> fault

  get isEmpty(): boolean {
    return this.#faults.size === 0;
  }

  get isFull(): boolean {
    return this.#faults.size >= maxFaults;
  }

  get all(): Fault[] {
    return [...this.#faults.values()];
  }

  add(path: string, code: string, message: string, offset?: number): void {
    const key = `${path}@${offset ?? ''}`;
    if (!this.isFull && !this.#faults.has(key)) this.#faults.set(key, { path, code, message: message.slice(0, maxMessage), offset });
  }

  addAll(faults: readonly Fault[]): void {
    for (const { path, code, message, offset } of faults) this.add(path, code, message, offset);
  }
}

/** The JSON pointer of these keys and indexes. */
export function pointer(...keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The keys of a JSON pointer. */
export function keysOf(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A name of the SDL as a message quotes it: no longer than a line. */
export const quoted = (name: string): string => JSON.stringify(name.length > 64 ? `${name.slice(0, 63)}…` : name);
