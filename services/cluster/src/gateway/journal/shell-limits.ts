import { TokenBuckets } from '@quartermaster/controller';
import { type Clock, StatusError } from '@quartermaster/kernel';

const minuteMs = 60_000;
const maxOwners = 10_000;

/** How often tenants may open shells: each is an object of the cluster. */
export class ShellLimits {
  readonly #perMinute: number;
  readonly #buckets: TokenBuckets;

  constructor({ perMinute, clock }: { readonly perMinute: number; readonly clock: Clock }) {
    this.#perMinute = perMinute;
    this.#buckets = new TokenBuckets({ burst: perMinute, refillIntervalMs: minuteMs / perMinute, maxKeys: maxOwners, clock });
  }

  /** Throws `resource_exhausted` where an owner opens too many. */
  opens(owner: string): void {
    if (this.#buckets.take(owner)) return;
    const retryAfterMs = Math.ceil(minuteMs / this.#perMinute);
    throw new StatusError(
      'resource_exhausted',
      `${owner} opens more than ${this.#perMinute} shells per minute: try again in ${Math.ceil(retryAfterMs / 1000)} s, or keep one open`,
      { details: { retryAfterMs } },
    );
  }
}
