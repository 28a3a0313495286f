import { hostname } from 'node:os';
import type { Clock } from '@quartermaster/kernel';
import { type KubeClient, LeaderElection, tokenReviewer } from '@quartermaster/kube';
import { type AuthenticationOptions, isLoopback, requireIdentity } from '@quartermaster/rpc';
import {
  degraded,
  failed,
  Health,
  type HealthPurpose,
  type HealthRegistry,
  healthy,
  type RoleContext,
  type RoleHandle,
  type TlsCertificates,
  traceOf,
  watchTls,
} from '@quartermaster/service';
import { given } from '../model/given.ts';
import type { ProbeAnswer } from '../serve/inventory-routes.ts';
import { type InventoryServers, startInventoryServers } from '../serve/start-inventory-servers.ts';
import { HardwareCleaner } from './hardware-cleaner.ts';
import { Inventory } from './inventory.ts';
import { inventoryMetrics } from './inventory-metrics.ts';
import type { InventoryRoleOptions } from './inventory-role.ts';
import type { InventorySettings } from './inventory-settings.ts';
import { firstGeneration, leadInventory } from './lead-inventory.ts';
import { operatorStatus } from './operator-status.ts';

const readyWithinStopMs = 2_000;

/** Starts every part of the operator, or none: what was started before a failure is stopped again. */
export async function startInventory(options: InventoryRoleOptions, context: RoleContext<InventorySettings>): Promise<RoleHandle> {
  const ends: (() => unknown)[] = []; // in the order of their starts
  const stopAll = async (): Promise<void> => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    return await startParts(options, context, ends, stopAll);
  } catch (thrown) {
    await stopAll();
    throw thrown;
  }
}

async function startParts(
  options: InventoryRoleOptions,
  context: RoleContext<InventorySettings>,
  ends: (() => unknown)[],
  stopAll: () => Promise<void>,
): Promise<RoleHandle> {
  const { config, log, metrics, clock, random } = context;
  const { client, close } = await options.connect(context);
  ends.push(close);
  const bus = options.bus?.(context);
  if (bus !== undefined) ends.push(bus.close);
  const inventory = await Inventory.start({
    client,
    ...given('bus', bus?.publisher),
    isBusShared: bus?.isShared ?? false,
    clusterId: config['cluster-id'],
    namespace: config['inventory-namespace'],
    configFile: config['inventory-config'],
    gpuDatabaseUrl: config['gpu-database-url'],
    gpuDatabaseRefreshMs: config['gpu-database-period'],
    publishEveryMs: config['inventory-publish-period'],
    clock,
    random,
    log,
  });
  ends.push(() => inventory.stop());
  ends.push(inventoryMetrics(metrics, inventory));

  const replica = `${process.env['POD_NAME'] ?? hostname()}-${Buffer.from(random.fill(new Uint8Array(4))).toString('hex')}`;
  const election = new LeaderElection({
    client,
    namespace: config['inventory-namespace'],
    name: 'quartermaster-inventory',
    identity: replica,
    clock,
    random,
    log,
  });
  const { nodes, hardware } = inventory.sources;
  const cleaner = new HardwareCleaner({ nodes, hardware, reader: client, keepMs: config['inventory-hardware-keep'], clock, log });
  const ending = new AbortController();
  const leading = election.run(
    (leadership) => leadInventory({ inventory, cleaner, client, leadership, replica, clock, random, log }),
    ending.signal,
  );
  ends.push(async () => {
    ending.abort(new Error('the operator is stopped'));
    await leading;
  });

  const startedAt = clock.now();
  const status = () => operatorStatus({ version: options.version, replica, startedAt, inventory, cleaner, election });
  const servers = await serveInventory(context, inventory, client, status, ends);
  options.started?.(inventory, servers, context);
  return {
    ready: (signal) => firstGeneration(inventory.feed, signal),
    stop: async () => {
      // Readers get time to go, in which whoever owns the bus may close it.
      inventory.endPublishing();
      await stopAll();
    },
    status: () => ({ grpc: servers.grpcAddress, rest: servers.restUrl, generation: inventory.feed.state()?.generation }),
  };
}

async function serveInventory(
  { config, health, metrics, clock, log }: RoleContext<InventorySettings>,
  inventory: Inventory,
  client: KubeClient,
  status: () => ReturnType<typeof operatorStatus>,
  ends: (() => unknown)[],
): Promise<InventoryServers> {
  const tls = await certificates(config, { clock, log });
  if (tls !== undefined) ends.push(() => tls.close());
  const host = config['inventory-host'];
  const own = new Health({ clock });
  registerHealth([health, own], inventory);
  const servers = await startInventoryServers({
    feed: inventory.feed,
    allocations: (filter) => inventory.ledger.allocations(filter),
    status,
    live: () => probeAnswer(own, 'live'),
    ready: () => probeAnswer(own, 'ready'),
    metrics: () => metrics.scrape(),
    host,
    grpcPort: config['inventory-grpc-port'],
    restPort: config['inventory-rest-port'],
    ...given('tls', tls),
    ...(isLoopback(host) ? {} : { authenticate: requireIdentity({ reviewToken: reviewOf(client, clock) }) }),
    isServing: () => inventory.feed.state() !== undefined,
    traceOf,
    clock,
    log,
  });
  ends.push(() => servers.stop(readyWithinStopMs));
  return servers;
}

function reviewOf(client: KubeClient, clock: Clock): NonNullable<AuthenticationOptions['reviewToken']> {
  const review = tokenReviewer(client, clock);
  return async (token, signal) => {
    const owner = await review(token, signal);
    return owner && { kind: 'token', ...owner };
  };
}

async function certificates(config: InventorySettings, context: Pick<RoleContext, 'clock' | 'log'>): Promise<TlsCertificates | undefined> {
  const certFile = config['inventory-tls-cert-file'];
  const keyFile = config['inventory-tls-key-file'];
  if (certFile === undefined || keyFile === undefined) return undefined;
  return await watchTls({ certFile, keyFile, ...given('clientCaFile', config['inventory-client-ca-file']) }, context);
}

/** The probes of the process ask the one, those of the role's own port the other. */
function registerHealth(registries: readonly HealthRegistry[], inventory: Inventory): void {
  const { config } = inventory;
  for (const health of registries) {
    health.register('inventory', 'ready', () =>
      inventory.feed.state() === undefined ? failed('the cluster has not been read completely yet') : healthy,
    );
    health.register('sources', 'ready', () => {
      const { stale } = inventory.completeness();
      const names = stale.map(({ source, reason }) => `${source} (${reason})`);
      return stale.length === 0 ? healthy : degraded(`out of reach: ${names.join(', ')}`);
    });
    health.register('gpu database', 'ready', () => {
      const problem = inventory.gpus.problem();
      return problem === undefined ? healthy : degraded(problem);
    });
    if (config !== undefined) health.register('configuration', 'ready', () => config.health());
  }
}

async function probeAnswer(health: Health, purpose: HealthPurpose): Promise<ProbeAnswer> {
  const { state, checks } = await health.report(purpose);
  const lines = checks.map((check) => `${check.name}: ${check.state}${check.reason === undefined ? '' : ` (${check.reason})`}`);
  return { isOk: state !== 'failed', text: [state, ...lines].join('\n') };
}
