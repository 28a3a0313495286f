const unit = 2 ** 30;

/**
 * A sum of whole numbers up to 2^53-1 that loses nothing on the way: after any sequence of additions and subtractions it is what a fresh
 * sum over what is left would be, also where the sum itself is beyond 2^53.
 */
export class ExactSum {
  #high = 0; // in units of 2^30
  #low = 0;

  add(value: number): void {
    this.#high += Math.floor(value / unit);
    this.#low += value % unit;
  }

  subtract(value: number): void {
    this.#high -= Math.floor(value / unit);
    this.#low -= value % unit;
  }

  /** At most 2^53-1. */
  value(): number {
    return Math.min(this.#high * unit + this.#low, Number.MAX_SAFE_INTEGER);
  }

  exact(): bigint {
    return BigInt(this.#high) * BigInt(unit) + BigInt(this.#low);
  }
}
