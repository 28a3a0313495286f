import { StatusError } from '@quartermaster/kernel';
import type { ConsoleSnapshot, ConsoleSource } from '../console-source.ts';
import { type ClusterSummary, summariseCluster } from '../topics/cluster-summary.ts';
import { capacityTopic, needsTopic, nodeTopic, storageTopic, trendTopic } from '../topics/inventory-topics.ts';
import { nodesTopic } from '../topics/nodes-topic.ts';
import { overviewTopic } from '../topics/overview-topic.ts';
import { podsTopic } from '../topics/pods-topic.ts';
import type { AnyState } from '../topics/stream-message.ts';
import { splitAddress, type Topic, type TopicState } from '../topics/topic.ts';
import { diffTopic, type TopicPatch } from '../topics/topic-patch.ts';

/** What a topic is cut from. The snapshot is free of secrets. */
export interface TopicInput {
  readonly snapshot: ConsoleSnapshot;
  readonly source: Pick<ConsoleSource, 'pods' | 'inventory'>;
}

/** One topic with its parameters. */
export interface TopicReader {
  /** Undefined while nothing is known. Equal states may be the same object. */
  read(input: TopicInput): AnyState | undefined;
  diff(before: AnyState, after: AnyState): TopicPatch<object, object> | undefined;
}

type OpenReader = (params: URLSearchParams) => TopicReader;

/** The reader for an address such as `pods?phase=Running`. Throws a StatusError for one that there is not. */
export function openTopic(address: string): TopicReader {
  const { name, params } = splitAddress(address);
  const open = openers.get(name);
  if (open !== undefined) return open(params);
  throw new StatusError('not_found', `there is no topic ${JSON.stringify(name)}: follow ${[...openers.keys()].join(', ')}`);
}

function opener<Params, Head extends object, Row extends object>(
  topic: Topic<Params, Head, Row>,
  read: (input: TopicInput, params: Params) => TopicState<Head, Row> | undefined,
): readonly [string, OpenReader] {
  const keyOf = topic.keyOf as (row: object) => string;
  return [
    topic.name,
    (text) => {
      const params = topic.parse(text);
      return { read: (input) => read(input, params), diff: (before, after) => diffTopic(before, after, keyOf) };
    },
  ];
}

const summaries = new WeakMap<NonNullable<ConsoleSnapshot['cluster']>, ClusterSummary>(); // cluster -> its summary

function summaryOf(cluster: NonNullable<ConsoleSnapshot['cluster']>): ClusterSummary {
  const summary = summaries.get(cluster) ?? summariseCluster(cluster);
  summaries.set(cluster, summary);
  return summary;
}

const rowsOnly = <Row extends object>(rows: readonly Row[] | undefined): TopicState<object, Row> | undefined =>
  rows === undefined ? undefined : { head: {}, rows };

// name -> how it is opened. A new topic is one more line here, and its definition in `topics`.
const openers: ReadonlyMap<string, OpenReader> = new Map([
  opener(overviewTopic, ({ snapshot: { installation, parts, cluster }, source }) => {
    const capacity = source.inventory?.capacity();
    const needs = capacity && { all: capacity.needCount, storage: capacity.storageNeedCount };
    return { head: { installation, parts, observedAt: cluster?.observedAt, cluster: cluster && summaryOf(cluster), needs }, rows: [] };
  }),
  opener(nodesTopic, ({ snapshot: { cluster } }, { name }) => {
    if (cluster === undefined) return undefined;
    const rows = name === undefined ? cluster.nodes : cluster.nodes.filter((node) => node.name === name);
    return { head: { total: cluster.nodes.length }, rows };
  }),
  opener(podsTopic, ({ source }, query) => {
    const page = source.pods(query);
    return page && { head: { total: page.total, matching: page.matching }, rows: page.pods };
  }),
  opener(capacityTopic, ({ source }) => {
    const capacity = source.inventory?.capacity();
    if (capacity === undefined) return undefined;
    const { lines, ...head } = capacity;
    return { head, rows: lines };
  }),
  opener(needsTopic, ({ source }) => rowsOnly(source.inventory?.needs())),
  opener(trendTopic, ({ source }) => rowsOnly(source.inventory?.trend())),
  opener(storageTopic, ({ source }) => rowsOnly(source.inventory?.storage())),
  opener(nodeTopic, ({ source: { inventory } }, { name }) => {
    if (inventory?.capacity() === undefined) return undefined;
    return { head: { detail: inventory.node(name) }, rows: inventory.podsOn(name) };
  }),
]);
