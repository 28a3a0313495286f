import type { RestRoute, ServedService } from '@quartermaster/rpc';
import { type InventoryFeed, snapshotOf } from '../publish/inventory-feed.ts';
import { clusterJson, nodeJson } from './akash-json.ts';
import { akashCluster, akashView } from './akash-messages.ts';
import { type AkashServicesOptions, akashServices, chosenNode, nodeHeader } from './akash-services.ts';
import { type InventoryServiceOptions, inventoryService } from './inventory-service.ts';

/** What the operator serves, for whatever servers there are. */
export interface InventoryServing {
  readonly services: readonly ServedService[];
  readonly restServices: readonly ServedService[];
  readonly routes: readonly RestRoute[];
  readonly isServing: () => boolean;
}

export interface InventoryServingOptions extends InventoryServiceOptions, AkashServicesOptions {}

export function inventoryServing(options: InventoryServingOptions): InventoryServing {
  const { feed } = options;
  const own = inventoryService(options);
  return {
    services: [...akashServices(options), own],
    restServices: [own],
    routes: inventoryRoutes(feed),
    isServing: () => feed.state() !== undefined,
  };
}

/** The paths that readers of the inventory know, beside those of the contracts. */
function inventoryRoutes(feed: InventoryFeed): readonly RestRoute[] {
  return [
    { path: '/v1/inventory', answer: () => ({ json: clusterJson(akashCluster(akashView(snapshotOf(feed)))) }) },
    { path: '/v1/node', answer: (_request, context) => ({ json: nodeJson(chosenNode(snapshotOf(feed), context?.header(nodeHeader))) }) },
    { path: '/v1/node/:name', answer: ({ parameters }) => ({ json: nodeJson(chosenNode(snapshotOf(feed), parameters['name'])) }) },
  ];
}
