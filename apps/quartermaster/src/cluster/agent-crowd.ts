import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import type { HardwareStore } from '@quartermaster/inventory/discovery';
import { type Clock, limit, sleep } from '@quartermaster/kernel';

/** Requests of all agents together that are under way at a time. */
const maxRequests = 8;

/**
 * The agents of all simulated nodes, which share one process with the API server that they ask: what they do at once keeps everybody else waiting. They
 * start one after the other, with a pause after each start as long as the process took for it, and a few of them are answered at a time. Those that wait
 * have not asked yet, so no time limit of theirs runs.
 */
export class AgentCrowd {
  readonly #clock: Clock;
  readonly #starters: (() => void)[] = [];
  readonly #ask = limit(maxRequests);
  #isStarting = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when it is the caller's turn to start, or when the signal aborts. */
  turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#starters.push(resolve);
      void this.#startAll();
    });
  }

  /** The store as the agents share it. */
  sharing(store: HardwareStore): HardwareStore {
    return {
      find: (type, ref, options) => this.#ask(() => store.find(type, ref, options)),
      apply: (type, object, options) => this.#ask(() => store.apply(type, object, options)),
    };
  }

  async #startAll(): Promise<void> {
    if (this.#isStarting) return;
    this.#isStarting = true;
    for (let start = this.#starters.shift(); start !== undefined; start = this.#starters.shift()) {
      const startedAt = this.#clock.monotonic();
      start();
      await nextLoopTurn();
      await sleep(this.#clock, this.#clock.monotonic() - startedAt);
    }
    this.#isStarting = false;
  }
}
