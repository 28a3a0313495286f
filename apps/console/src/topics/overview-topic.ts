import type { ConsoleSnapshot } from '../console-source.ts';
import type { ClusterSummary } from './cluster-summary.ts';
import type { Topic } from './topic.ts';

/** What runs, how it is, and the cluster at a glance. Every page follows it. */
export interface OverviewHead {
  readonly installation: ConsoleSnapshot['installation'];
  readonly parts: ConsoleSnapshot['parts'];
  /** When the cluster last confirmed what every topic says of it; absent, like the summary, while it has not been read. */
  readonly observedAt?: number | undefined;
  readonly cluster?: ClusterSummary | undefined;
  /** How many things need a person, all and those of storage; absent while there is no inventory. */
  readonly needs?: { readonly all: number; readonly storage: number } | undefined;
}

export const overviewTopic: Topic<null, OverviewHead, never> = {
  name: 'overview',
  keyOf: () => '',
  parse: () => null,
  format: () => ({}),
};
