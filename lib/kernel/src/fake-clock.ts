import type { Clock } from './clock.ts';

interface Timer {
  readonly dueAt: number;
  readonly sequence: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. The wall clock can be set apart from the monotonic one, as on a skewed machine. */
export class FakeClock implements Clock {
  #monotonic = 0;
  #wallOffset: number;
  #sequence = 0;
  readonly #timers = new Set<Timer>();

  constructor(startWallMs = Date.UTC(2026, 0, 1)) {
    this.#wallOffset = startWallMs;
  }

  now(): number {
    return this.#wallOffset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  schedule(afterMs: number, callback: () => void): () => void {
    this.#sequence += 1;
    const timer: Timer = { dueAt: this.#monotonic + Math.max(afterMs, 0), sequence: this.#sequence, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Shifts the wall clock alone, as an administrator or NTP would. */
  skewWall(byMs: number): void {
    this.#wallOffset += byMs;
  }

  /** Moves time forward, firing due timers in order and letting promises settle after each. */
  async advance(byMs: number): Promise<void> {
    if (!(byMs >= 0))
      throw new RangeError(`byMs ${byMs} must not be negative: monotonic time never goes back; skewWall moves the wall clock`);
    const end = this.#monotonic + byMs;
    await settle();
    for (let timer = this.#nextDue(end); timer !== undefined; timer = this.#nextDue(end)) {
      this.#timers.delete(timer);
      this.#monotonic = Math.max(this.#monotonic, timer.dueAt);
      timer.callback();
      await settle();
    }
    this.#monotonic = end;
  }

  #nextDue(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueAt > end) continue;
      if (next === undefined || timer.dueAt < next.dueAt || (timer.dueAt === next.dueAt && timer.sequence < next.sequence)) next = timer;
    }
    return next;
  }
}

/** Lets every promise that can settle without I/O do so. */
async function settle(): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 0);
  });
}
