import { setImmediate } from 'node:timers/promises';

/** More than what two ends on one machine need to notice each other. */
const quietTurns = 500;

/** Resolves with a counter's value once it has stood still for many turns of the event loop, or is over `limit`. For two ends in this process. */
export async function whenStalled(counter: () => number, limit: number): Promise<number> {
  let last = counter();
  for (let turns = 0; turns < quietTurns && last <= limit; turns += 1) {
    await setImmediate();
    if (counter() !== last) turns = 0;
    last = counter();
  }
  return last;
}
