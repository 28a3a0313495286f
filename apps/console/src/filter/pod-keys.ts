import type { PodRow } from '../kubernetes-view.ts';
import type { RowKey } from './row-filter.ts';

export const podPhases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

/** What the filter of pods can ask for: the server has the pods, and the page completes what is typed. */
export const podKeys: readonly RowKey<PodRow>[] = [
  { name: 'name', note: 'its name', value: ({ name }) => name },
  { name: 'namespace', note: 'where it belongs', value: ({ namespace }) => namespace },
  { name: 'pod', note: 'namespace/name', value: ({ namespace, name }) => `${namespace}/${name}` },
  { name: 'phase', note: 'where it is in its life', value: ({ phase }) => phase },
  { name: 'reason', note: 'why it is not what it should be', value: ({ reason }) => reason ?? '' },
  { name: 'node', note: 'where it is placed', value: ({ node }) => node ?? '' },
  { name: 'restarts', note: 'of its containers', value: ({ restarts }) => restarts },
];
