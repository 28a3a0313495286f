import type { Log } from '@quartermaster/kernel';
import type { Store, StoredEvent } from '../store/store.ts';

/** A part of the server that follows what is stored. It must not change the store before its work is run. */
export interface Housekeeper {
  workFor(event: StoredEvent): (() => void) | undefined;
}

/** How long the work of one turn may take before requests get theirs. */
const turnMs = 5;

/** Runs what housekeepers make of events, in order, in turns of the event loop of their own. */
export class Housekeeping {
  readonly #log: Log;
  readonly #waiting: (() => void)[] = [];
  #next = 0;
  #turn: NodeJS.Immediate | undefined;

  constructor(store: Store, keepers: readonly Housekeeper[], log: Log) {
    this.#log = log;
    store.listen((event) => {
      for (const keeper of keepers) {
        const work = keeper.workFor(event);
        if (work !== undefined) this.#waiting.push(work);
      }
      if (this.#waiting.length > 0) this.#turn ??= setImmediate(() => this.#run());
    });
  }

  stop(): void {
    clearImmediate(this.#turn);
    this.#waiting.length = 0;
  }

  #run(): void {
    this.#turn = undefined;
    const until = performance.now() + turnMs;
    while (this.#next < this.#waiting.length && performance.now() < until) {
      const work = this.#waiting[this.#next];
      this.#next += 1;
      try {
        work?.();
      } catch (error) {
        this.#log.error('housekeeping failed', { error });
      }
    }
    if (this.#next < this.#waiting.length) {
      this.#turn ??= setImmediate(() => this.#run());
      return;
    }
    this.#waiting.length = 0;
    this.#next = 0;
  }
}
