import { type BackoffOptions, backoffMs, isTerminal, messageOf, type Random } from '@quartermaster/kernel';

/** What becomes of an event after its handler ran. */
export type DeliveryVerdict =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly afterMs: number }
  | { readonly kind: 'dead-letter'; readonly reason: string };

export const done: DeliveryVerdict = { kind: 'done' };

export interface RetryPolicy {
  /** Deliveries after which a failing event becomes a dead letter. */
  readonly maxAttempts: number;
  readonly backoff: BackoffOptions;
}

/** Six attempts within about eight seconds: long enough for a dependency that restarts, short for the events behind it. */
export const defaultRetryPolicy: RetryPolicy = { maxAttempts: 6, backoff: { firstMs: 250, maxMs: 30_000, factor: 2 } };

/** An error that retrying cannot mend makes a dead letter at once; any other after `maxAttempts` deliveries. */
export function verdictOnError(thrown: unknown, attempt: number, policy: RetryPolicy, random: Random): DeliveryVerdict {
  if (isTerminal(thrown) || attempt >= policy.maxAttempts) return { kind: 'dead-letter', reason: messageOf(thrown) };
  return { kind: 'again', afterMs: backoffMs(attempt, policy.backoff, random) };
}
