import type { ConsoleSnapshot } from '@quartermaster/console';
import { StatusError } from '@quartermaster/kernel';

/** What the console of a running `up` shows now. */
export async function readSnapshot(url: string): Promise<ConsoleSnapshot> {
  const answer = await fetch(new URL('/api/console/v1/snapshot', url));
  const { snapshot } = (await answer.json()) as { snapshot: ConsoleSnapshot };
  return snapshot;
}

const everyMs = 100;

/** Resolves as soon as the condition holds. Throws when it does not within `withinMs`. */
export async function expectSoon(condition: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new StatusError('unavailable', `not within ${withinMs} ms: ${condition.toString()}`);
    await new Promise<void>((resolve) => {
      setTimeout(resolve, everyMs);
    });
  }
}
