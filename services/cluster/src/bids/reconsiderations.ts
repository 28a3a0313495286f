import type { Clock } from '@quartermaster/kernel';

const firstMs = 5_000;
const mostMs = 5 * 60_000;
/** More of them are considered whenever they come up. */
const maxKept = 100_000;

/** When orders that were declined are considered again: each time after twice as long. What was in the way may be gone by then. */
export class Reconsiderations {
  readonly #clock: Clock;
  readonly #waits = new Map<string, { readonly dueAt: number; readonly waitMs: number }>(); // order -> when, by the monotonic clock; the oldest first

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  dueInMs(order: string): number {
    return Math.max((this.#waits.get(order)?.dueAt ?? 0) - this.#clock.monotonic(), 0);
  }

  /** Returns how long it waits. */
  declined(order: string): number {
    const waitMs = Math.min((this.#waits.get(order)?.waitMs ?? firstMs / 2) * 2, mostMs);
    this.#waits.delete(order);
    this.#waits.set(order, { dueAt: this.#clock.monotonic() + waitMs, waitMs });
    const [oldest] = this.#waits.keys();
    if (this.#waits.size > maxKept && oldest !== undefined) this.#waits.delete(oldest);
    return waitMs;
  }

  forget(order: string): void {
    this.#waits.delete(order);
  }
}
