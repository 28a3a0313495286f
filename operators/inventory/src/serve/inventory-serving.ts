import type { RestRoute, ServedService } from '@quartermaster/rpc';
import { type AkashServicesOptions, akashServices } from './akash-services.ts';
import { inventoryRoutes } from './inventory-routes.ts';
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
