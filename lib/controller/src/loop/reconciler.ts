/** What the queue does with the key next. Failing is not an outcome: throw instead. */
export type Outcome = { readonly kind: 'done' } | { readonly kind: 'again'; readonly afterMs: number };

export const done: Outcome = { kind: 'done' };
export const again = (afterMs: number): Outcome => ({ kind: 'again', afterMs });

/** Drives one kind of object from observed state towards its spec. */
export interface Reconciler {
  readonly name: string;

  /**
   * Called with a key at least once after every change to it, and never twice at a time for one key. The key names an object and
   * never carries it or says what happened to it: read current state, which may be that the object is gone.
   *
   * Must be idempotent, and must stop soon after `signal` aborts: until it returns, nobody else gets the key. A thrown error is
   * retried with backoff, unless it is terminal (`invalid_argument`): then only a change or the next full pass brings the key back.
   */
  reconcile(key: string, signal: AbortSignal): Promise<Outcome>;
}
