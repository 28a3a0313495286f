import type { Clock } from './clock.ts';
import { StatusError } from './status-error.ts';

/** How long a work waits for its turn, and what it is told then. */
export interface Patience {
  readonly clock: Clock;
  readonly waitMs: number;
  /** A sentence for the caller, who is answered `unavailable`. */
  readonly message: string;
}

/** Runs at most `count` works at a time, in the order in which they were asked for. Without patience they wait as long as it takes. */
export function limit(count: number, patience?: Patience): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting = new Set<() => void>(); // the oldest first
  let running = 0;
  return async (work) => {
    if (running >= count) await turn(waiting, patience);
    else running += 1;
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

function turn(waiting: Set<() => void>, patience: Patience | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const go = (): void => {
    waiting.delete(go);
    cancel?.();
    resolve();
  };
  waiting.add(go);
  const cancel = patience?.clock.schedule(patience.waitMs, () => {
    waiting.delete(go);
    reject(new StatusError('unavailable', patience.message));
  });
  return promise;
}
