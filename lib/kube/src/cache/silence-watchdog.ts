import type { Clock } from '@quartermaster/kernel';

/** Aborts its signal when nothing is heard for too long. */
export class SilenceWatchdog {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #parent: AbortSignal;
  #heardAt: number;
  #cancel: () => void = () => {};
  #fired = false;

  constructor(clock: Clock, limitMs: number, parent: AbortSignal) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#parent = parent;
    this.#heardAt = clock.monotonic();
    parent.addEventListener('abort', this.#forward, { once: true });
    if (parent.aborted) this.#forward();
    this.#arm(limitMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get fired(): boolean {
    return this.#fired;
  }

  contact(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  end(): void {
    this.#cancel();
    this.#parent.removeEventListener('abort', this.#forward);
  }

  /** One timer that looks back when it fires is cheaper than one reset at every chunk. */
  #arm(afterMs: number): void {
    this.#cancel = this.#clock.schedule(afterMs, () => {
      const quietMs = this.#clock.monotonic() - this.#heardAt;
      if (quietMs < this.#limitMs) {
        this.#arm(this.#limitMs - quietMs);
        return;
      }
      this.#fired = true;
      this.#controller.abort(new Error('nothing arrived on the watch'));
    });
  }

  readonly #forward = (): void => this.#controller.abort(this.#parent.reason);
}
