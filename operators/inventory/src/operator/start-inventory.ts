import { guardStreams, openAccess } from '@quartermaster/auth';
import type { RoleBody } from '@quartermaster/runtime';
import type { RoleHost } from '@quartermaster/runtime/host';
import { degraded, failed, type HealthStatus, healthy } from '@quartermaster/service';
import { inventoryAccess, routes } from '../access/access-table.ts';
import { callerRoles } from '../access/caller-roles.ts';
import { inventoryServing } from '../serve/inventory-serving.ts';
import { viewsByAddress } from '../views/open-view.ts';
import { ViewFeed } from '../views/view-feed.ts';
import { podNetwork } from './agent-network.ts';
import { HardwareCleaner } from './hardware-cleaner.ts';
import { Inventory } from './inventory.ts';
import { inventoryMetrics } from './inventory-metrics.ts';
import { type InventorySettings, sharedAgents, sharedInventory } from './inventory-role.ts';
import { firstGeneration, leadInventory } from './lead-inventory.ts';
import { operatorStatus } from './operator-status.ts';

/** Starts the inventory of the cluster, what its leader does, and its servers. */
export async function startInventory(host: RoleHost<InventorySettings>): Promise<RoleBody> {
  const { config, clock, random, log, leadership } = host;
  const client = await host.kubernetes();
  const inventory = await Inventory.start({
    client,
    caches: await host.caches.opener(),
    bus: host.bus?.bus,
    isBusShared: host.bus?.isShared,
    clusterId: config['cluster-id'],
    namespace: host.namespace,
    agents: host.shared.find(sharedAgents) ?? podNetwork({ tokenFile: config['inventory-agent-token-file'], clock }),
    configFile: config['inventory-config'],
    gpuDatabaseUrl: config['gpu-database-url'],
    gpuDatabaseIntervalMs: config['gpu-database-period'],
    publishIntervalMs: config['inventory-publish-period'],
    fail: (thrown) => host.fail(thrown),
    clock,
    random,
    log,
  });
  host.keep('inventory', () => inventory.stop());
  host.keep('metrics of the inventory', inventoryMetrics(host.metrics, inventory));
  const { nodes, hardware } = inventory.sources;
  const keepMs = config['inventory-hardware-keep'];
  const fuse = await host.fuse({
    name: 'hardware',
    what: 'hardware facts of nodes that are gone',
    windowMs: keepMs,
  });
  const cleaner = new HardwareCleaner({ nodes, hardware, reader: client, fuse, keepMs, clock, log });
  leadInventory({ leadership, inventory, cleaner, client });
  registerHealth(host, inventory);
  const startedAt = clock.now();
  const status = () => operatorStatus({ version: host.version, replica: host.replica, startedAt, inventory, fuse, leadership });
  const { feed, ledger, views } = inventory;
  const viewFeed = new ViewFeed({ open: viewsByAddress(views.named), subscribe: (changed) => views.subscribe(changed), clock, log });
  host.keep('views', () => viewFeed.close());
  const serving = inventoryServing({
    feed,
    allocations: (filter, page) => ledger.allocations(filter, page),
    views,
    viewFeed,
    status,
    clock,
  });
  const access = await openAccess({
    service: host.prefix,
    roles: callerRoles,
    tableOf: () => inventoryAccess,
    settings: config,
    ...(await host.serviceAccounts()),
    clock,
    log,
  });
  host.onConfig((newer) => access.update(newer));
  const guard = { clock, onAccessChange: (listener: () => void) => access.onUpdate(listener) };
  const akashPort = config['inventory-akash-port'];
  await host.serve({
    ...serving,
    services: guardStreams(serving.services, guard),
    restServices: guardStreams(serving.restServices, guard),
    routes: [...serving.routes, { path: routes.metrics, answer: () => host.metrics.scrape() }],
    callers: access.authenticate,
    withoutIdentity:
      akashPort === undefined ? undefined : { host: config['inventory-akash-host'], port: akashPort, services: serving.akashServices },
  });
  // Readers get time to go, in which whoever owns the bus may close it.
  host.keep('publishing', () => inventory.endPublishing(), 'first');
  host.shared.find(sharedInventory)?.put(inventory);
  return { ready: (signal) => firstGeneration(feed, signal), status: () => ({ generation: feed.state()?.generation }) };
}

function registerHealth({ health }: RoleHost<InventorySettings>, inventory: Inventory): void {
  const problemOf = (problem: string | undefined): HealthStatus => (problem === undefined ? healthy : degraded(problem));
  health.register('inventory', 'ready', () =>
    inventory.feed.state() === undefined ? failed('the cluster has not been read completely yet') : healthy,
  );
  health.register('gpu database', 'ready', () => problemOf(inventory.gpus.problem()));
  const { config } = inventory;
  if (config !== undefined) health.register('configuration', 'ready', () => config.health());
}
