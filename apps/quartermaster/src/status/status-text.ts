import type { OverviewHead } from '@quartermaster/console';
import { table } from '../text/table.ts';
import { ago } from '../text/time-text.ts';

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
