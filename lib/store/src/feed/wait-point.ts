import type { Clock } from '@quartermaster/kernel';

/** Where several wait for the same thing to happen. A wait also ends with its time or its signal: who waited looks at what is true then. */
export class WaitPoint {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  wait(forMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        cancel();
        resolve();
      };
      const cancel = this.#clock.schedule(forMs, wake);
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }
}
