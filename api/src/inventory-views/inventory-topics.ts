import { StatusError } from '@quartermaster/kernel';
import type { ClusterSummary } from './cluster-summary.ts';
import type { CapacityLine, CapacityView, Need, NodeDetail, PodUsage, StorageCard, TrendSample } from './inventory-shapes.ts';
import type { Topic } from './topic.ts';

const noParams = { parse: () => null, format: () => ({}) };

export type CapacityHead = Omit<CapacityView, 'lines'>;

/** Tells pods apart. */
export const podKey = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string => `${namespace}/${name}`;

/** The cluster at a glance, and how far what is said of it can be believed. */
export interface SummaryHead extends ClusterSummary {
  /** When the API server last confirmed what every view says, milliseconds since the epoch. */
  readonly observedAt: number;
  /** What of the inventory is not being followed right now. */
  readonly stale: CapacityView['stale'];
  /** How many things need a person, all and those of storage. */
  readonly needs: { readonly all: number; readonly storage: number };
}

export const summaryTopic: Topic<null, SummaryHead, never> = { name: 'summary', keyOf: () => '', ...noParams };

/** What there is to sell, what is sold and what is held back: one row for each bar. */
export const capacityTopic: Topic<null, CapacityHead, CapacityLine> = {
  name: 'capacity',
  keyOf: ({ kind, name }) => `${kind} ${name}`,
  ...noParams,
};

/** What needs a person, the first of them; how many there are in all is in `capacity`. */
export const needsTopic: Topic<null, object, Need> = {
  name: 'needs',
  keyOf: ({ kind, id, node = '' }) => `${kind} ${node} ${id}`,
  ...noParams,
};

/** Capacity over the last hour: each sample is a row, which comes once and goes when it is too old. */
export const trendTopic: Topic<null, object, TrendSample> = { name: 'trend', keyOf: ({ at }) => String(at), ...noParams };

export const storageTopic: Topic<null, object, StorageCard> = { name: 'storage', keyOf: ({ name }) => name, ...noParams };

/** Without a detail there is no such node. */
export interface NodeHead {
  readonly detail?: NodeDetail | undefined;
}

/** One node with everything in it, and what each of its pods takes. */
export const nodeTopic: Topic<{ readonly name: string }, NodeHead, PodUsage> = {
  name: 'node',
  keyOf: podKey,
  parse: (params) => {
    const name = params.get('name');
    if (name === null || name === '') throw new StatusError('invalid_argument', 'name is missing: name a node, as in node?name=node-1');
    return { name };
  },
  format: ({ name }) => ({ name }),
};
