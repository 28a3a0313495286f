import type { SummaryHead } from '@quartermaster/api/inventory-views';
import { inventoryRole } from '@quartermaster/inventory/roles';
import { findRun, type RunFacts } from '../run/run-file.ts';
import { contentOf } from '../server/content-of.ts';
import type { Output } from '../text/output.ts';
import { table } from '../text/table.ts';
import { ago } from '../text/time-text.ts';

const timeoutMs = 5_000;

/** Prints how a running `up` is. Resolves with the exit code: 0 when all parts are ready, 1 otherwise. */
export async function showStatus({ directory, json }: { directory: string; json: boolean }, { out }: Output): Promise<number> {
  const run = findRun(directory);
  const { pid, console, version, startedAt, scenario, kubernetes, server, kubeconfig, parts } = run;
  const cluster = await readSummary(run);
  const installation = { version, startedAt, scenario, dataDirectory: directory, kubernetes, server, kubeconfig };
  out.write(json ? `${JSON.stringify({ pid, console, installation, parts, cluster })}\n` : statusText(run, cluster, Date.now()));
  return parts.every(({ state }) => state === 'ready') ? 0 : 1;
}

/** What the inventory says of the cluster; undefined while it does not know, or does not answer, which the parts then tell. */
async function readSummary({ roles }: RunFacts): Promise<SummaryHead | undefined> {
  const { rest, tokenFile } = roles[inventoryRole.name] ?? {};
  if (rest === undefined || tokenFile === undefined) return undefined;
  try {
    const headers = { authorization: `Bearer ${contentOf(tokenFile, 'token of `up`').trim()}` };
    const answer = await fetch(new URL('/v1/view?view=summary', rest), { headers, signal: AbortSignal.timeout(timeoutMs) });
    // Both ends are of one version: they are the same executable.
    return ((await answer.json()) as { state?: { head: SummaryHead } }).state?.head;
  } catch {
    return undefined;
  }
}

/** How things are, as a person reads it. `now` is in milliseconds since the epoch. */
export function statusText(
  { parts, kubeconfig }: Pick<RunFacts, 'parts' | 'kubeconfig'>,
  cluster: SummaryHead | undefined,
  now: number,
): string {
  const rows = parts.map(({ name, kind, state, since, reason, facts }) => {
    const details = [...(reason === undefined ? [] : [reason]), ...Object.entries(facts).map(([fact, value]) => `${fact} ${value}`)];
    return [name, kind, state, since === undefined ? '' : ago(now - since), details.join(', ')];
  });
  return [table(['PART', 'KIND', 'STATE', 'SINCE', 'DETAILS'], rows), clusterText(cluster, now), `kubeconfig  ${kubeconfig}\n`].join('\n');
}

function clusterText(cluster: SummaryHead | undefined, now: number): string {
  if (cluster === undefined) return 'The cluster has not been read yet.\n';
  const { readyCount, nodeCount, gpuModels, podCount, observedAt } = cluster;
  const gpus = gpuModels.reduce((sum, { total }) => sum + total, 0);
  return [
    `nodes       ${readyCount} of ${nodeCount} ready`,
    `GPUs        ${gpus}`,
    `pods        ${podCount} on nodes`,
    `as of       ${ago(now - observedAt)} ago\n`,
  ].join('\n');
}
