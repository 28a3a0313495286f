/** Good news waits this long for a relapse. */
const settleMs = 1500;
/** And this long, if the last good news was shorter ago. */
const calmMs = 60_000;

/**
 * Holds a level (how many devices are fit for work) still while it flaps. It falls at once: what is sick must not be sold for a second. It
 * rises when the higher level has lasted 1.5 s, but at most once a minute; so a device that flaps all the time rests at its lower
 * level, and one that comes and goes slowly is told of at most twice a minute, once it has begun.
 */
export class Damper {
  #level: number;
  #target: number;
  #targetSince: number;
  #roseAt = Number.NEGATIVE_INFINITY;

  /** The first level holds at once. */
  constructor(level: number, now: number) {
    this.#level = level;
    this.#target = level;
    this.#targetSince = now;
  }

  get level(): number {
    return this.#level;
  }

  /** When the level will rise if nothing happens, or undefined. */
  get dueAt(): number | undefined {
    if (this.#target === this.#level) return undefined;
    return this.#targetSince + (this.#targetSince - this.#roseAt < calmMs ? calmMs : settleMs);
  }

  /** Tells whether the level changed. */
  set(level: number, now: number): boolean {
    const before = this.#level;
    if (level !== this.#target) {
      this.#target = level;
      this.#targetSince = now;
    }
    if (level < this.#level) this.#level = level;
    this.settle(now);
    return this.#level !== before;
  }

  /** Lets the level rise if it is time. Tells whether it did. */
  settle(now: number): boolean {
    const { dueAt } = this;
    if (dueAt === undefined || now < dueAt) return false;
    this.#level = this.#target;
    this.#roseAt = now;
    return true;
  }
}
