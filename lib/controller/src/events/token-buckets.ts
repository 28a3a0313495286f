import type { Clock } from '@quartermaster/kernel';

interface Bucket {
  tokens: number;
  filledAt: number;
}

export interface TokenBucketOptions {
  /** What a fresh bucket holds, and the most it ever does. */
  readonly burst: number;
  readonly refillIntervalMs: number;
  /** Buckets kept; beyond it the one unused for longest is forgotten, and so is full again when it returns. */
  readonly maxKeys: number;
  readonly clock: Clock;
}

/** A rate limit per key. */
export class TokenBuckets {
  readonly #options: TokenBucketOptions;
  readonly #buckets = new Map<string, Bucket>(); // key -> bucket; the one unused for longest first

  constructor(options: TokenBucketOptions) {
    this.#options = options;
  }

  /** Takes a token of the key's bucket. False when there is none. */
  take(key: string): boolean {
    const { burst, refillIntervalMs, maxKeys, clock } = this.#options;
    const now = clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, filledAt: now };
    const refill = Math.floor((now - bucket.filledAt) / refillIntervalMs);
    bucket.tokens = Math.min(burst, bucket.tokens + refill);
    bucket.filledAt += refill * refillIntervalMs;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > maxKeys) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  get size(): number {
    return this.#buckets.size;
  }
}
