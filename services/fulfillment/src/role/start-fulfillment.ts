import { join } from 'node:path';
import type { ReviewToken } from '@quartermaster/auth';
import { tokenReviewer } from '@quartermaster/kube';
import {
  failed,
  Health,
  type HealthPurpose,
  healthy,
  type RoleContext,
  type RoleHandle,
  type TlsCertificates,
  type TlsFiles,
  traceOf,
  watchTls,
} from '@quartermaster/service';
import type { Revealable } from '@quartermaster/store';
import type { AccessSettings } from '../access/index.ts';
import { type Fulfillment, openFulfillment } from '../serve/fulfillment.ts';
import { type FulfillmentServers, type ProbeAnswer, startFulfillmentServers } from '../serve/start-servers.ts';
import { type FulfillmentMetrics, fulfillmentMetrics } from './fulfillment-metrics.ts';
import type { FulfillmentRoleOptions } from './fulfillment-role.ts';
import type { FulfillmentSettings } from './fulfillment-settings.ts';
import { openKeyRing } from './key-ring-file.ts';

type Context = RoleContext<FulfillmentSettings>;
type Ends = (() => unknown)[];

const stopWithinMs = 2_000;

/** Starts every part of the service, or none: what was started before a failure is stopped again. */
export async function startFulfillment(options: FulfillmentRoleOptions, context: Context): Promise<RoleHandle> {
  const ends: Ends = []; // in the order of their starts
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
  options: FulfillmentRoleOptions,
  context: Context,
  ends: Ends,
  stopAll: () => Promise<void>,
): Promise<RoleHandle> {
  const { config, clock, random, log, metrics, signal } = context;
  const keys = await openKeyRing(config);
  const reviewToken = await serviceAccounts(options, context, ends);
  const figures = fulfillmentMetrics(metrics);
  const fulfillment = await openFulfillment({
    databaseUrl: config['fulfillment-database-url'] ?? (await embeddedDatabase(context, ends)),
    poolSize: config['fulfillment-database-connections'],
    keys,
    access: accessSettings(config),
    reviewToken,
    retention: {
      changesMs: config['fulfillment-feed-retention'],
      auditMs: config['fulfillment-audit-retention'],
      archiveMs: config['fulfillment-archive-retention'],
    },
    mayAdoptHosts: config['fulfillment-adopt-hosts'],
    version: options.version,
    observer: figures.observer,
    clock,
    random,
    log,
    signal,
  });
  ends.push(() => fulfillment.stop());
  ends.push(figures.follow(fulfillment.database));
  context.onConfig((newer) => fulfillment.updateAccess(accessSettings(newer)));
  const servers = await serveFulfillment(options, context, fulfillment, figures, ends);
  await options.started?.(fulfillment, servers, context);
  return {
    stop: stopAll,
    status: () => ({
      grpc: servers.grpcAddress,
      rest: servers.restUrl,
      ...(servers.certificateAddress === undefined ? {} : { certificates: servers.certificateAddress }),
      database: fulfillment.database.isReachable() ? 'reachable' : 'away',
    }),
  };
}

/** An embedded database has a key of local tokens beside it, unless the settings say where that is. */
function accessSettings(config: FulfillmentSettings): AccessSettings {
  const directory = config['fulfillment-data-directory'];
  const keyFile = config['fulfillment-local-key-file'] ?? (directory === undefined ? undefined : join(directory, 'token-key'));
  return keyFile === undefined ? config : { ...config, 'fulfillment-local-key-file': keyFile };
}

async function embeddedDatabase({ config, clock, log }: Context, ends: Ends): Promise<string | Revealable> {
  const { startEmbeddedPostgres } = await import('@quartermaster/store/embedded');
  const directory = join(config['fulfillment-data-directory'] ?? '.', 'postgres');
  const server = await startEmbeddedPostgres({ directory, clock, log });
  ends.push(() => server.stop());
  return { reveal: () => server.url };
}

async function serviceAccounts({ connect }: FulfillmentRoleOptions, context: Context, ends: Ends): Promise<ReviewToken | undefined> {
  if (!context.config['fulfillment-service-accounts'] || connect === undefined) return undefined;
  const { client, close } = await connect(context);
  ends.push(close);
  const audiences = context.config['fulfillment-service-account-audiences'];
  return tokenReviewer(client, context.clock, audiences.length === 0 ? {} : { audiences });
}

async function serveFulfillment(
  { version }: FulfillmentRoleOptions,
  { config, health, clock, log }: Context,
  fulfillment: Fulfillment,
  figures: FulfillmentMetrics,
  ends: Ends,
): Promise<FulfillmentServers> {
  const follow = async (files: TlsFiles | undefined): Promise<TlsCertificates | undefined> => {
    if (files === undefined) return undefined;
    const certificates = await watchTls(files, { clock, log });
    ends.push(() => certificates.close());
    return certificates;
  };
  const [tls, mutualTls] = [await follow(serverFiles(config)), await follow(mutualFiles(config))];
  const own = new Health({ clock });
  for (const registry of [health, own]) {
    registry.register('database', 'ready', () => (fulfillment.database.isReachable() ? healthy : failed('the database cannot be reached')));
    if (tls !== undefined) registry.register('certificate', 'ready', () => tls.check());
    if (mutualTls !== undefined) registry.register('client-authorities', 'ready', () => mutualTls.check());
  }
  const servers = await startFulfillmentServers({
    fulfillment,
    version,
    live: () => probeAnswer(own, 'live'),
    ready: () => probeAnswer(own, 'ready'),
    host: config['fulfillment-host'],
    grpcPort: config['fulfillment-grpc-port'],
    restPort: config['fulfillment-rest-port'],
    ...(tls === undefined ? {} : { tls }),
    ...(mutualTls === undefined ? {} : { mutualTls }),
    certificatePort: config['fulfillment-certificate-port'],
    onCall: (call) => figures.onCall(call),
    traceOf,
    clock,
    log,
  });
  ends.push(() => servers.stop(stopWithinMs));
  return servers;
}

function serverFiles(config: FulfillmentSettings): TlsFiles | undefined {
  const certFile = config['fulfillment-tls-cert-file'];
  const keyFile = config['fulfillment-tls-key-file'];
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile };
}

function mutualFiles(config: FulfillmentSettings): TlsFiles | undefined {
  const files = serverFiles(config);
  const clientCaFile = config['fulfillment-client-ca-file'];
  return files === undefined || clientCaFile === undefined ? undefined : { ...files, clientCaFile };
}

async function probeAnswer(health: Health, purpose: HealthPurpose): Promise<ProbeAnswer> {
  const { state, checks } = await health.report(purpose);
  const lines = checks.map((check) => `${check.name}: ${check.state}${check.reason === undefined ? '' : ` (${check.reason})`}`);
  return { isOk: state !== 'failed', text: [state, ...lines].join('\n') };
}
