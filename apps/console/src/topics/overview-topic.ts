import type { ClusterSummary, Topic } from '@quartermaster/api/inventory-views';
import type { ConsoleSnapshot } from '../console-source.ts';

/** The cluster at a glance, with its pods. */
export interface OverviewCluster extends ClusterSummary {
  /** phase -> pods */
  readonly podsByPhase: Readonly<Record<string, number>>;
}

/** What runs, how it is, and the cluster at a glance. Every page follows it. */
export interface OverviewHead {
  readonly installation: ConsoleSnapshot['installation'];
  readonly parts: ConsoleSnapshot['parts'];
  /** When the cluster last confirmed what every topic says of it; absent, like the summary, while it has not been read. */
  readonly observedAt?: number | undefined;
  readonly cluster?: OverviewCluster | undefined;
  /** How many things need a person, all and those of storage; absent while there is no inventory. */
  readonly needs?: { readonly all: number; readonly storage: number } | undefined;
}

export const overviewTopic: Topic<null, OverviewHead, never> = {
  name: 'overview',
  keyOf: () => '',
  parse: () => null,
  format: () => ({}),
};
