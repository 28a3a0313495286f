import type { Clock } from './clock.ts';

/**
 * A function that may be called at any pace and passes at most one call per `intervalMs` on: the first one after a pause at once,
 * the others together at the end of the pause.
 */
export function coalesced(clock: Clock, intervalMs: number, call: () => void): { readonly trigger: () => void; readonly stop: () => void } {
  let isResting = false;
  let isWanted = false;
  let cancel = (): void => {};
  const run = (): void => {
    isWanted = false;
    isResting = true;
    cancel = clock.schedule(intervalMs, () => {
      isResting = false;
      if (isWanted) run();
    });
    call();
  };
  return {
    trigger: () => {
      if (isResting) isWanted = true;
      else run();
    },
    stop: () => {
      cancel();
      isResting = true;
      isWanted = false;
    },
  };
}
