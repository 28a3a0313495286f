import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** As `quartermaster` has it: from the second start on nothing is compiled. */
const keepCompiled = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'quartermaster-bench-compiled') };

/** A program of this benchmark in a process of its own. It ends when the connection to it is cut. */
export class Child {
  readonly #process: ChildProcess;

  constructor(program: string, args: readonly string[], flags: readonly string[] = []) {
    this.#process = fork(fileURLToPath(new URL(program, import.meta.url)), args, {
      execArgv: [...flags],
      env: { ...process.env, ...keepCompiled },
    });
  }

  send(message: object): void {
    this.#process.send(message);
  }

  /** What the program says next; throws when it ends instead. */
  async next<T>(): Promise<T> {
    const answered = new AbortController();
    const exit = once(this.#process, 'exit', { signal: answered.signal }).then(([code]) => {
      throw new Error(`${this.#process.spawnargs[1]} ended with code ${String(code)}`);
    });
    try {
      const [news] = (await Promise.race([once(this.#process, 'message'), exit])) as [T];
      return news;
    } finally {
      exit.catch(() => undefined);
      answered.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // One that has failed has said so.
    if (!this.#process.connected) return;
    const ended = once(this.#process, 'exit');
    this.#process.disconnect();
    await ended;
  }
}
