import type { RestRoute, RouteAnswer } from '@quartermaster/rpc';
import { type InventoryFeed, snapshotOf } from '../publish/inventory-feed.ts';
import { clusterJson, nodeJson } from './akash-json.ts';
import { akashCluster, akashView } from './akash-messages.ts';
import { chosenNode, nodeHeader } from './akash-services.ts';

/** What a probe is told. */
export interface ProbeAnswer {
  readonly isOk: boolean;
  readonly text: string;
}

export interface InventoryRoutesOptions {
  readonly feed: InventoryFeed;
  readonly live: () => Promise<ProbeAnswer> | ProbeAnswer;
  readonly ready: () => Promise<ProbeAnswer> | ProbeAnswer;
  /** In Prometheus's text format. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
}

/** The paths that readers of the inventory know, beside those of the contracts. Probes need no credentials. */
export function inventoryRoutes({ feed, live, ready, metrics }: InventoryRoutesOptions): readonly RestRoute[] {
  const probe = (path: string, ask: () => Promise<ProbeAnswer> | ProbeAnswer): RestRoute => ({
    path,
    isPublic: true,
    answer: async (): Promise<RouteAnswer> => {
      const { isOk, text } = await ask();
      return { status: isOk ? 200 : 503, contentType: 'text/plain; charset=utf-8', text: `${text}\n` };
    },
  });
  return [
    { path: '/v1/inventory', answer: () => ({ json: clusterJson(akashCluster(akashView(snapshotOf(feed)))) }) },
    { path: '/v1/node', answer: (_request, context) => ({ json: nodeJson(chosenNode(snapshotOf(feed), context?.header(nodeHeader))) }) },
    { path: '/v1/node/:name', answer: ({ parameters }) => ({ json: nodeJson(chosenNode(snapshotOf(feed), parameters['name'])) }) },
    { path: '/metrics', answer: metrics },
    probe('/livez', live),
    probe('/readyz', ready),
    probe('/metrics/health', live),
    probe('/metrics/ready', ready),
  ];
}
