import { type ConsoleNode, type ConsolePod, type OverviewHead, topicsPath } from '@quartermaster/console';
import { StatusError } from '@quartermaster/kernel';

/** What the console of a running `up` shows now. */
export async function readOverview(url: string): Promise<OverviewHead> {
  return (await readTopic<OverviewHead, never>(url, 'overview')).head;
}

export async function readNodes(url: string): Promise<readonly ConsoleNode[]> {
  return (await readTopic<object, ConsoleNode>(url, 'nodes')).rows;
}

/** The first page of pods whose names hold the text. */
export async function readPods(url: string, text: string): Promise<readonly ConsolePod[]> {
  return (await readTopic<object, ConsolePod>(url, `pods?text=${encodeURIComponent(text)}`)).rows;
}

async function readTopic<Head, Row>(url: string, topic: string): Promise<{ head: Head; rows: readonly Row[] }> {
  const answer = await fetch(new URL(`${topicsPath}/${topic}`, url));
  const { state } = (await answer.json()) as { state: { head: Head; rows: readonly Row[] } | null };
  if (state === null) throw new StatusError('unavailable', `the console at ${url} does not know ${topic} yet`);
  return state;
}

const pollIntervalMs = 100;

/** Resolves as soon as the condition holds. Throws when it does not within `withinMs`. */
export async function expectSoon(condition: () => Promise<boolean> | boolean, withinMs = 30_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new StatusError('unavailable', `not within ${withinMs} ms: ${condition.toString()}`);
    await new Promise<void>((resolve) => {
      setTimeout(resolve, pollIntervalMs);
    });
  }
}
