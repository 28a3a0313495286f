import { StatusError } from '@quartermaster/kernel';
import type { CallContext, RestRoute, ServedService } from '@quartermaster/rpc';
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
  readonly routes: readonly RestRoute[];
  readonly isServing: () => boolean;
}

export interface InventoryServingOptions extends InventoryServiceOptions, AkashServicesOptions, ViewsServiceOptions {}

export function inventoryServing(options: InventoryServingOptions): InventoryServing {
  const { feed } = options;
  const own = [inventoryService(options), viewsService(options)];
  return {
    services: [...akashServices(options), ...own],
    restServices: own,
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
    { path: '/v1/session', answer: (_request, context) => ({ json: callerOf(context) }) },
  ];
}

/** Who asks, for a console that signs people in with their tokens. Whoever the server knows reads everything here. */
function callerOf(context: CallContext | undefined): { name: string; role: string } {
  if (context !== undefined && context.identity.kind !== 'anonymous') return { name: context.identity.name, role: 'provider' };
  // Where callers are not asked who they are, a token that nobody looked at proves nothing.
  throw new StatusError('unauthenticated', 'this server does not ask who its callers are, since it listens on loopback: sign in elsewhere');
}
