import type { Queryable } from '../database.ts';

/** At most so many statements at a time: what comes meanwhile goes together with the next one. */
const maxConcurrent = 2;
const maxIds = 200;

interface Waiting<R> {
  readonly resolve: (rows: readonly R[]) => void;
  readonly reject: (thrown: unknown) => void;
}

/**
 * Asks for rows by id, for callers that come at the same time with one statement, which takes a list of ids as its only value and gives each row's `id`. An exchange with
 * the server, and what it takes to wake it, costs more than to find a row. Nobody waits for others to come: a statement leaves as soon as the event loop has taken in what had
 * arrived. It always begins after the wishes that it fulfils, so that everybody sees what was committed before it asked.
 */
export class Gathering<R extends { readonly id: string }> {
  readonly #database: Queryable;
  readonly #statement: { readonly name: string; readonly text: string };
  readonly #waiting = new Map<string, Waiting<R>[]>(); // id -> who asks for it, the oldest first
  #running = 0;
  #isDue = false;

  constructor(database: Queryable, statement: { readonly name: string; readonly text: string }) {
    this.#database = database;
    this.#statement = statement;
  }

  rowsOf(id: string): Promise<readonly R[]> {
    return new Promise((resolve, reject) => {
      const others = this.#waiting.get(id);
      if (others === undefined) this.#waiting.set(id, [{ resolve, reject }]);
      else others.push({ resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isDue || this.#waiting.size === 0 || this.#running >= maxConcurrent) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      void this.#read(this.#take());
    });
  }

  #take(): ReadonlyMap<string, readonly Waiting<R>[]> {
    const taken = new Map([...this.#waiting].slice(0, maxIds));
    for (const id of taken.keys()) this.#waiting.delete(id);
    return taken;
  }

  async #read(asked: ReadonlyMap<string, readonly Waiting<R>[]>): Promise<void> {
    this.#running += 1;
    this.#schedule();
    try {
      const rows = await this.#database.query<R>(this.#statement, [[...asked.keys()]]);
      const byId = Map.groupBy(rows, ({ id }) => id);
      for (const [id, waiting] of asked) for (const { resolve } of waiting) resolve(byId.get(id) ?? []);
    } catch (thrown) {
      for (const waiting of asked.values()) for (const { reject } of waiting) reject(thrown);
    } finally {
      this.#running -= 1;
      this.#schedule();
    }
  }
}
