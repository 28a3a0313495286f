import { type Clock, StatusError } from '@quartermaster/kernel';

/** Does the work with a signal that aborts after so long, and waits for it no longer than that, whether or not it heeds the signal. */
export async function within<T>(clock: Clock, ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    ending.abort(reason);
    reject(reason);
  };
  const cancel = clock.schedule(ms, () => end(new StatusError('unavailable', `there was no answer within ${ms} ms`)));
  const abort = (): void => end(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work(ending.signal), promise]);
  } finally {
    cancel();
    signal.removeEventListener('abort', abort);
  }
}
