import type { Fate, Gate } from './claim-server.ts';

interface Waiting {
  readonly proceed: (fate: Fate) => void;
  readonly later: () => void;
}

const fates: readonly Fate[] = ['answered', 'lost', 'unanswered', 'late'];

/** Lets the requests of several workers through one at a time, in an order that `choose` decides: one of so many. */
export class Interleaving {
  readonly #waiting: Waiting[] = [];
  /** Those that their sender was told are lost, and that are still under way. */
  readonly #late: (() => void)[] = [];
  readonly #choose: (options: number) => number;
  /** How many requests may still be lost. */
  #losses: number;

  constructor(choose: (options: number) => number, losses = 0) {
    this.#choose = choose;
    this.#losses = losses;
  }

  readonly gate: Gate = (_what, later) => new Promise((proceed) => this.#waiting.push({ proceed, later }));

  async run(workers: readonly (() => Promise<unknown>)[]): Promise<void> {
    const running = new Set(workers);
    const failed: unknown[] = [];
    for (const work of workers)
      void work()
        .catch((thrown: unknown) => failed.push(thrown))
        .finally(() => running.delete(work));
    for (;;) {
      await turn();
      if (failed.length > 0) throw failed[0];
      if (this.#waiting.length + this.#late.length === 0) {
        if (running.size > 0) throw new Error('somebody waits for nothing');
        return;
      }
      this.#step();
    }
  }

  #step(): void {
    const chosen = this.#choose(this.#waiting.length + this.#late.length);
    const late = this.#late[chosen - this.#waiting.length];
    if (late !== undefined) {
      this.#late.splice(chosen - this.#waiting.length, 1);
      late();
      return;
    }
    const [next] = this.#waiting.splice(chosen, 1);
    if (next === undefined) return;
    const fate = this.#losses > 0 ? fates[this.#choose(fates.length)] : 'answered';
    if (fate !== 'answered') this.#losses -= 1;
    if (fate === 'late') this.#late.push(next.later);
    next.proceed(fate ?? 'answered');
  }
}

/** Runs `play` once for each way in which its choices can be made. Returns how many there were. */
export async function everyWay(play: (choose: (options: number) => number) => Promise<void>): Promise<number> {
  let script: readonly number[] | undefined = [];
  let ways = 0;
  for (; script !== undefined; ways += 1) {
    const path: Choice[] = [];
    await play(chooserOf(script, path));
    script = nextScript(path);
  }
  return ways;
}

interface Choice {
  readonly taken: number;
  readonly of: number;
}

function chooserOf(script: readonly number[], path: Choice[]): (options: number) => number {
  return (of) => {
    const taken = script[path.length] ?? 0;
    path.push({ taken, of });
    return taken;
  };
}

/** The last choice that could be made otherwise, made otherwise; undefined when there is none. */
function nextScript(path: readonly Choice[]): readonly number[] | undefined {
  const last = path.findLastIndex(({ taken, of }) => taken + 1 < of);
  return last < 0 ? undefined : path.slice(0, last + 1).map(({ taken }, index) => (index === last ? taken + 1 : taken));
}

/** Everything that can go on without an answer has gone on: far fewer promises than these lie between two requests. */
async function turn(): Promise<void> {
  for (let promises = 0; promises < 100; promises += 1) await Promise.resolve();
}
