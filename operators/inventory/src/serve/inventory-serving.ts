import { principalOf } from '@quartermaster/auth';
import { StatusError } from '@quartermaster/kernel';
import type { CallContext, RestRoute, ServedService } from '@quartermaster/rpc';
import { routes } from '../access/access-table.ts';
import { type InventoryFeed, snapshotOf } from '../publish/inventory-feed.ts';
import { clusterJson, nodeJson } from './akash-json.ts';
import { akashCluster, akashView } from './akash-messages.ts';
import { type AkashServicesOptions, akashServices, chosenNode, nodeHeader } from './akash-services.ts';
import { type InventoryServiceOptions, inventoryService } from './inventory-service.ts';
import { type ViewsServiceOptions, viewsService } from './views-service.ts';

/** What the operator serves, for whatever servers there are. */
export interface InventoryServing {
  readonly services: readonly ServedService[];
  readonly restServices: readonly ServedService[];
  /** Of the services, what a stock Akash provider knows. */
  readonly akashServices: readonly ServedService[];
  readonly routes: readonly RestRoute[];
  readonly isServing: () => boolean;
}

export interface InventoryServingOptions extends InventoryServiceOptions, AkashServicesOptions, ViewsServiceOptions {}

export function inventoryServing(options: InventoryServingOptions): InventoryServing {
  const { feed } = options;
  const own = [inventoryService(options), viewsService(options)];
  const akash = akashServices(options);
  return {
    services: [...akash, ...own],
    akashServices: akash,
    restServices: own,
    routes: inventoryRoutes(feed),
    isServing: () => feed.state() !== undefined,
  };
}

/** The paths that readers of the inventory know, beside those of the contracts. */
function inventoryRoutes(feed: InventoryFeed): readonly RestRoute[] {
  return [
    { path: routes.inventory, answer: () => ({ json: clusterJson(akashCluster(akashView(snapshotOf(feed)))) }) },
    {
      path: routes.onlyNode,
      answer: (_request, context) => ({ json: nodeJson(chosenNode(snapshotOf(feed), context?.header(nodeHeader))) }),
    },
    { path: routes.node, answer: ({ parameters }) => ({ json: nodeJson(chosenNode(snapshotOf(feed), parameters['name'])) }) },
    { path: routes.session, answer: (_request, context) => ({ json: callerOf(context) }) },
  ];
}

/** Who asks, for a console that signs people in with their tokens. */
function callerOf(context: CallContext | undefined): { name: string; role: string } {
  if (context === undefined)
    throw new StatusError('unauthenticated', 'the request was not authenticated: send the header "authorization: Bearer <token>"');
  const { name, role } = principalOf(context.identity);
  return { name, role };
}
