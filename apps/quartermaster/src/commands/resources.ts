import { audit, clusterSecrets, events, objectResource, sources } from '../fulfillment/fulfillment-resources.ts';
import { kinds } from '../fulfillment/kinds/kinds.ts';
import { allocations, gpus, nodes, storage } from '../inventory/inventory-resources.ts';
import { hostnames, runningLeases, tenantShells } from '../leases/lease-resources.ts';
import { bidDecisions, marketResources } from '../market/market-resources.ts';
import { capacity, fit, reservations } from '../reservations/reservation-resources.ts';
import type { Resource } from '../server/resource.ts';

/** Everything that servers have and that commands show or change, in the order in which help lists it. */
export const resources: readonly Resource[] = [
  nodes,
  gpus,
  storage,
  allocations,
  capacity,
  reservations,
  fit,
  runningLeases,
  hostnames,
  tenantShells,
  ...marketResources,
  bidDecisions,
  ...kinds.map(objectResource),
  ...clusterSecrets,
  audit,
  sources,
  events,
];
