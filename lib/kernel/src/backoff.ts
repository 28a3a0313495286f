import type { Random } from './random.ts';

export interface BackoffOptions {
  /** The wait after the first failure, before jitter. */
  readonly firstMs: number;
  /** No wait is longer, jitter included. */
  readonly maxMs: number;
  /** How much each further failure multiplies the wait. */
  readonly factor: number;
}

export const defaultBackoff: BackoffOptions = { firstMs: 500, maxMs: 30_000, factor: 2 };

/**
 * The wait before the next try after `failures` failures in a row (1 = the first). Half of it is fixed and half is
 * random, so that many clients that failed together do not return together and none returns at once.
 */
export function backoffMs(failures: number, options: BackoffOptions, random: Random): number {
  const exponent = Math.min(Math.max(failures, 1) - 1, 64);
  const ceiling = Math.min(options.firstMs * options.factor ** exponent, options.maxMs);
  return Math.round(ceiling / 2 + (ceiling / 2) * random.next());
}

/** Counts failures in a row and says how long to wait after each. A success starts it anew. */
export class Backoff {
  #failures = 0;
  readonly #options: BackoffOptions;
  readonly #random: Random;

  constructor(options: BackoffOptions, random: Random) {
    this.#options = options;
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  nextMs(): number {
    this.#failures += 1;
    return backoffMs(this.#failures, this.#options, this.#random);
  }

  reset(): void {
    this.#failures = 0;
  }
}
