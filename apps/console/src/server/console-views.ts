import { nodesTopic, summariseCluster } from '@quartermaster/api/inventory-views';
import { inventoryViews, namedView, type OpenView, viewsByAddress } from '@quartermaster/inventory/views';
import type { ConsoleSnapshot, ConsoleSource } from '../console-source.ts';
import { type OverviewCluster, overviewTopic } from '../topics/overview-topic.ts';
import { podsTopic } from '../topics/pods-topic.ts';
import { withoutSecrets } from './without-secrets.ts';

/** What pages can follow: what runs here, and the inventory's own views. */
export function consoleViews(source: ConsoleSource): (address: string) => OpenView {
  return viewsByAddress([
    namedView(overviewTopic, () => {
      const { installation, parts, cluster } = withoutSecrets(source.current());
      const capacity = source.inventory?.capacity();
      const needs = capacity && { all: capacity.needCount, storage: capacity.storageNeedCount };
      const summary = cluster && summaryOf(cluster, capacity?.lines ?? []);
      return { head: { installation, parts, observedAt: cluster?.observedAt, cluster: summary, needs }, rows: [] };
    }),
    namedView(nodesTopic, ({ name }) => {
      const { cluster } = source.current();
      if (cluster === undefined) return undefined;
      const rows = name === undefined ? cluster.nodes : cluster.nodes.filter((node) => node.name === name);
      return { head: { total: cluster.nodes.length }, rows };
    }),
    namedView(podsTopic, (query) => {
      const page = source.pods(query);
      return page && { head: { total: page.total, matching: page.matching }, rows: page.pods };
    }),
    ...inventoryViews(() => source.inventory),
  ]);
}

type Cluster = NonNullable<ConsoleSnapshot['cluster']>;

function summaryOf({ nodes, podsByPhase }: Cluster, lines: Parameters<typeof summariseCluster>[1]): OverviewCluster {
  const podCount = Object.values(podsByPhase).reduce((sum, count) => sum + count, 0);
  return { ...summariseCluster(nodes, lines), podCount, podsByPhase };
}
