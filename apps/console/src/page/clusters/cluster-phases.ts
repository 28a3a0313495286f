import { conditionWhy, missingHosts, trueCondition } from '@quartermaster/api/states';
import { momentOf } from '../api/api-words.ts';
import { countOf } from '../model/amounts.ts';
import type { Phase } from '../model/phase.ts';
import { nodeSetLines } from '../states/node-sets.ts';
import { type ClusterObject, hostCounts } from './cluster-object.ts';

/**
 * Ordered, hosts claimed, provisioned, published, ready: as far as the API says. The first one that is not done is where the cluster
 * stands; it carries the reason.
 */
export function clusterPhases(cluster: ClusterObject): readonly Phase[] {
  const { metadata, status } = cluster;
  const orderedAt = momentOf(metadata.creation_timestamp);
  const ready = trueCondition(cluster, 'READY');
  const isReady = ready !== undefined || status?.state === 'CLUSTER_STATE_READY';
  const isPublished = (status?.api_url ?? '') !== '';
  const { wanted, assigned } = hostCounts(cluster);
  const readyAt = momentOf(ready?.last_transition_time);
  const done: readonly (Phase & { readonly isDone: boolean })[] = [
    { label: 'Ordered', isDone: true, state: 'done', note: '', since: orderedAt },
    { label: 'Hosts claimed', isDone: assigned >= wanted, state: 'done', note: `${assigned} of ${countOf(wanted, 'host')}` },
    { label: 'Provisioned', isDone: isReady || isPublished, state: 'done', note: '' },
    { label: 'Published', isDone: isReady || isPublished, state: 'done', note: status?.alias ?? '' },
    {
      label: 'Ready',
      isDone: isReady,
      state: 'done',
      note: '',
      since: readyAt,
      tookMs: orderedAt === undefined || readyAt === undefined ? undefined : readyAt - orderedAt,
    },
  ];
  const first = done.findIndex(({ isDone }) => !isDone);
  return done.map(({ isDone: _, ...phase }, index): Phase => {
    if (first === -1 || index < first) return phase;
    if (index > first) return { label: phase.label, state: 'ahead', note: '' };
    return { label: phase.label, ...standing(cluster, phase.label) };
  });
}

/** Where the cluster stands, with the words of whoever works on it. */
function standing(cluster: ClusterObject, label: string): Omit<Phase, 'label'> {
  const failed = trueCondition(cluster, 'FAILED');
  const said = failed ?? trueCondition(cluster, 'PROGRESSING');
  const missing = nodeSetLines(cluster).filter(({ wanted, hosts }) => hosts.length < wanted);
  const short = missing.map(({ name, wanted, hosts }) => missingHosts(name, wanted - hosts.length)).join(', ');
  const words = [label === 'Hosts claimed' ? short : '', said === undefined ? '' : conditionWhy(said)].filter((text) => text !== '');
  const isFailed = failed !== undefined || cluster.status?.state === 'CLUSTER_STATE_FAILED';
  const isWorkedOn = said !== undefined || cluster.status?.state === 'CLUSTER_STATE_PROGRESSING';
  return {
    state: isFailed ? 'failed' : isWorkedOn ? 'current' : 'waiting',
    note: words.length === 0 ? 'Waiting for provisioning' : words.join('. '),
    since:
      momentOf(said?.last_transition_time) ?? (isWorkedOn || wasReady(cluster) ? undefined : momentOf(cluster.metadata.creation_timestamp)),
  };
}

/** One that has been ready does not wait since it was ordered. */
const wasReady = ({ status }: ClusterObject): boolean => status?.state === 'CLUSTER_STATE_READY';
