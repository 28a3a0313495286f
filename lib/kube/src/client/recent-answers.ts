import type { Clock } from '@quartermaster/kernel';

/** The latest answers of one kind, each for a while. When there are too many, the oldest goes. */
export class RecentAnswers<T> {
  readonly #answers = new Map<string, { readonly answer: T; readonly until: number }>(); // key -> answer, the oldest first
  readonly #clock: Clock;
  readonly #believeMs: number;
  readonly #max: number;

  constructor(clock: Clock, { believeMs, max }: { readonly believeMs: number; readonly max: number }) {
    this.#clock = clock;
    this.#believeMs = believeMs;
    this.#max = max;
  }

  find(key: string): { readonly answer: T } | undefined {
    const found = this.#answers.get(key);
    if (found === undefined || found.until > this.#clock.monotonic()) return found;
    this.#answers.delete(key);
    return undefined;
  }

  keep(key: string, answer: T): void {
    this.#answers.delete(key);
    this.#answers.set(key, { answer, until: this.#clock.monotonic() + this.#believeMs });
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > this.#max && oldest !== undefined) this.#answers.delete(oldest);
  }
}
