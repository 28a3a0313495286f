/** Time as an injected value, so that tests move it instead of waiting. */
export interface Clock {
  /** Wall clock in milliseconds since the epoch. For stamps that people or other machines read; it may jump. */
  now(): number;

  /** Milliseconds that never go back and that jumps of the wall clock do not touch. For durations and deadlines. */
  monotonic(): number;

  /** Calls back once after `afterMs`; the returned function cancels. A pending callback does not keep the process alive. */
  schedule(afterMs: number, callback: () => void): () => void;
}

/** Timers beyond this fire at once in JavaScript, so longer waits are cut to it: about 24.8 days. */
const maxTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(afterMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(afterMs, 0), maxTimerMs));
    // Browsers return a number, Node an object; only the latter can hold a process open.
    if (typeof timer === 'object') timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `afterMs`, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, afterMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const abort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.schedule(afterMs, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Resolves after `afterMs`, or as soon as the signal aborts: for loops that look at the signal next. */
export async function pause(clock: Clock, afterMs: number, signal: AbortSignal): Promise<void> {
  await sleep(clock, afterMs, signal).catch(() => {
    // Aborted: nothing is lost, the wait is just over.
  });
}
