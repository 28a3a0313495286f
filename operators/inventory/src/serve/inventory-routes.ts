import type { RestRoute } from '@quartermaster/rpc';
import { type InventoryFeed, snapshotOf } from '../publish/inventory-feed.ts';
import { clusterJson, nodeJson } from './akash-json.ts';
import { akashCluster, akashView } from './akash-messages.ts';
import { chosenNode, nodeHeader } from './akash-services.ts';

/** The paths that readers of the inventory know, beside those of the contracts. */
export function inventoryRoutes(feed: InventoryFeed): readonly RestRoute[] {
  return [
    { path: '/v1/inventory', answer: () => ({ json: clusterJson(akashCluster(akashView(snapshotOf(feed)))) }) },
    { path: '/v1/node', answer: (_request, context) => ({ json: nodeJson(chosenNode(snapshotOf(feed), context?.header(nodeHeader))) }) },
    { path: '/v1/node/:name', answer: ({ parameters }) => ({ json: nodeJson(chosenNode(snapshotOf(feed), parameters['name'])) }) },
  ];
}
