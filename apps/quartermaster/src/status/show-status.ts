import type { ConsoleSnapshot } from '@quartermaster/console';
import { StatusError } from '@quartermaster/kernel';
import type { Output } from '../text/output.ts';
import { findRun } from '../up/run-file.ts';
import { statusText } from './status-text.ts';

const timeoutMs = 5_000;

/** Prints how a running `up` is. Resolves with the exit code: 0 when all parts are ready, 1 otherwise. */
export async function showStatus({ directory, json }: { directory: string; json: boolean }, { out }: Output): Promise<number> {
  const run = findRun(directory);
  const { snapshot, sentAt } = await readSnapshot(run.console);
  out.write(json ? `${JSON.stringify({ pid: run.pid, console: run.console, ...snapshot })}\n` : statusText(snapshot, sentAt));
  return snapshot.parts.every(({ state }) => state === 'ready') ? 0 : 1;
}

async function readSnapshot(url: string): Promise<{ readonly snapshot: ConsoleSnapshot; readonly sentAt: number }> {
  try {
    const answer = await fetch(new URL('/api/console/v1/snapshot', url), { signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok) throw new StatusError('unavailable', `it answered ${answer.status}`);
    // Both ends are of one version: they are the same executable.
    return (await answer.json()) as { snapshot: ConsoleSnapshot; sentAt: number };
  } catch (cause) {
    throw new StatusError('unavailable', `the console at ${url} does not say how things are: see what \`quartermaster up\` prints`, {
      cause,
    });
  }
}
