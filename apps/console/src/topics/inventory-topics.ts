import { StatusError } from '@quartermaster/kernel';
import type { CapacityLine, CapacityView, Need, NodeDetail, PodUsage, StorageCard, TrendSample } from '../inventory-source.ts';
import { podKey } from './pods-topic.ts';
import type { Topic } from './topic.ts';

const noParams = { parse: () => null, format: () => ({}) };

export type CapacityHead = Omit<CapacityView, 'lines'>;

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
