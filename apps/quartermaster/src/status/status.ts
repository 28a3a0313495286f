import { type OverviewHead, topicsPath } from '@quartermaster/console';
import { StatusError } from '@quartermaster/kernel';
import { findRun } from '../run/run-file.ts';
import type { Output } from '../text/output.ts';
import { table } from '../text/table.ts';
import { ago } from '../text/time-text.ts';

const timeoutMs = 5_000;

/** Prints how a running `up` is. Resolves with the exit code: 0 when all parts are ready, 1 otherwise. */
export async function showStatus({ directory, json }: { directory: string; json: boolean }, { out }: Output): Promise<number> {
  const run = findRun(directory);
  const { overview, sentAt } = await readOverview(run.console);
  out.write(json ? `${JSON.stringify({ pid: run.pid, console: run.console, ...overview })}\n` : statusText(overview, sentAt));
  return overview.parts.every(({ state }) => state === 'ready') ? 0 : 1;
}

async function readOverview(url: string): Promise<{ readonly overview: OverviewHead; readonly sentAt: number }> {
  try {
    const answer = await fetch(new URL(`${topicsPath}/overview`, url), { signal: AbortSignal.timeout(timeoutMs) });
    if (!answer.ok) throw new StatusError('unavailable', `it answered ${answer.status}`);
    // Both ends are of one version: they are the same executable.
    const { state, sentAt } = (await answer.json()) as { state: { head: OverviewHead }; sentAt: number };
    return { overview: state.head, sentAt };
  } catch (cause) {
    throw new StatusError('unavailable', `the console at ${url} does not report the status: see the output of \`quartermaster up\``, {
      cause,
    });
  }
}

/** How things are, as a person reads it. `now` is in milliseconds since the epoch. */
export function statusText({ installation, parts, cluster, observedAt }: OverviewHead, now: number): string {
  const rows = parts.map(({ name, kind, state, since, reason, facts }) => {
    const details = [...(reason === undefined ? [] : [reason]), ...Object.entries(facts).map(([fact, value]) => `${fact} ${value}`)];
    return [name, kind, state, ago(now - since), details.join(', ')];
  });
  return [
    table(['PART', 'KIND', 'STATE', 'SINCE', 'DETAILS'], rows),
    clusterText(cluster, now - (observedAt ?? now)),
    `kubeconfig  ${installation.kubeconfig}\n`,
  ].join('\n');
}

function clusterText(cluster: OverviewHead['cluster'], ageMs: number): string {
  if (cluster === undefined) return 'The cluster has not been read yet.\n';
  const { readyCount, nodeCount, gpuModels, podsByPhase } = cluster;
  const gpus = gpuModels.reduce((sum, { total }) => sum + total, 0);
  const phases = Object.entries(podsByPhase)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([phase, count]) => `${count} ${phase}`);
  return [
    `nodes       ${readyCount} of ${nodeCount} ready`,
    `GPUs        ${gpus}`,
    `pods        ${phases.length === 0 ? 'none' : phases.join(', ')}`,
    `as of       ${ago(ageMs)} ago\n`,
  ].join('\n');
}
