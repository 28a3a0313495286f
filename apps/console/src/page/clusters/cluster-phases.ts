import { conditionWhy, missingHosts, type Tone, trueCondition } from '@quartermaster/api/states';
import { momentOf } from '../api/api-words.ts';
import { countOf } from '../model/amounts.ts';
import { nodeSetLines } from '../states/node-sets.ts';
import { type ClusterObject, hostCounts } from './cluster-object.ts';

/** One step from an order to a cluster that can be used. */
export interface ClusterPhase {
  readonly label: string;
  /** `waiting`: it is its turn, and nobody works on it. */
  readonly state: 'done' | 'current' | 'waiting' | 'failed' | 'ahead';
  /** Why it waits, or what came of it. */
  readonly note: string;
  /** Since when it is so, where that is known. */
  readonly since?: number | undefined;
  /** How long it took, where that is known. */
  readonly tookMs?: number | undefined;
}

/**
 * Ordered, hosts claimed, provisioned, published, ready: as far as the API says. The first one that is not done is where the cluster
 * stands; it carries the reason.
 */
export function clusterPhases(cluster: ClusterObject): readonly ClusterPhase[] {
  const { metadata, status } = cluster;
  const orderedAt = momentOf(metadata.creation_timestamp);
  const ready = trueCondition(cluster, 'READY');
  const isReady = ready !== undefined || status?.state === 'CLUSTER_STATE_READY';
  const isPublished = (status?.api_url ?? '') !== '';
  const { wanted, assigned } = hostCounts(cluster);
  const readyAt = momentOf(ready?.last_transition_time);
  const done: readonly (ClusterPhase & { readonly isDone: boolean })[] = [
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
  return done.map(({ isDone: _, ...phase }, index): ClusterPhase => {
    if (first === -1 || index < first) return phase;
    if (index > first) return { label: phase.label, state: 'ahead', note: '' };
    return { label: phase.label, ...standing(cluster, phase.label) };
  });
}

/** Where the cluster stands, with the words of whoever works on it. */
function standing(cluster: ClusterObject, label: string): Omit<ClusterPhase, 'label'> {
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

export const phaseTone = (state: ClusterPhase['state']): Tone =>
  (({ done: 'good', current: 'reserved', waiting: 'unknown', failed: 'failed', ahead: 'plain' }) as const)[state];
