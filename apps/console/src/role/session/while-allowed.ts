import { type Clock, codeOf } from '@quartermaster/kernel';

const askAgainMs = 60_000;

/** Aborts with the signal, or when a right that is asked about again every minute was taken away. While nobody can be asked, it stays. */
export function whileAllowed(requireRight: () => Promise<unknown>, clock: Clock, signal: AbortSignal): AbortSignal {
  const ended = new AbortController();
  let cancel = (): void => {};
  const wait = (): void => {
    if (!signal.aborted) cancel = clock.schedule(askAgainMs, ask);
  };
  const ask = (): void =>
    void requireRight().then(wait, (thrown: unknown) => {
      if (codeOf(thrown) === 'unavailable') wait();
      else ended.abort(thrown);
    });
  signal.addEventListener('abort', () => cancel(), { once: true });
  wait();
  return AbortSignal.any([signal, ended.signal]);
}
