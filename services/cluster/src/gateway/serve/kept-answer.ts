import type { Clock } from '@quartermaster/kernel';

/** Asks no more often than every so many milliseconds, however many want to know. What failed is asked again. */
export function keptAnswer<T>(clock: Pick<Clock, 'monotonic'>, keptMs: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined;
  return async () => {
    if (last === undefined || clock.monotonic() - last.at >= keptMs) {
      const asked = { at: clock.monotonic(), answer: ask() };
      last = asked;
      asked.answer.catch(() => {
        if (last === asked) last = undefined;
      });
    }
    return await last.answer;
  };
}
