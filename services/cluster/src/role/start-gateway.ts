import { serverVersion } from '@quartermaster/kube';
import { CallLimits, StreamLimits, startRpcServer } from '@quartermaster/rpc';
import type { RoleHost } from '@quartermaster/runtime/host';
import { closeServer, listen } from '@quartermaster/service';
import { addressTold } from '../gateway/gateway-address.ts';
import { gatewayCertificate } from '../gateway/gateway-certificate.ts';
import { KubeShellJournal } from '../gateway/journal/kube-shell-journal.ts';
import { ShellLimits } from '../gateway/journal/shell-limits.ts';
import { hideCluster } from '../gateway/rpc/hide-cluster.ts';
import { leaseRpc } from '../gateway/rpc/lease-rpc.ts';
import { providerRpc } from '../gateway/rpc/provider-rpc.ts';
import { authenticateTenants } from '../gateway/rpc/tenant-identity.ts';
import { RouteTable } from '../gateway/serve/gateway-route.ts';
import { GatewayServer } from '../gateway/serve/gateway-server.ts';
import { keptAnswer } from '../gateway/serve/kept-answer.ts';
import { leaderActions } from '../gateway/serve/leader-actions.ts';
import { LeaseDoor } from '../gateway/serve/lease-door.ts';
import { leaseRoutes } from '../gateway/serve/lease-routes.ts';
import { publicRoutes } from '../gateway/serve/public-routes.ts';
import { streamRoutes } from '../gateway/serve/stream-routes.ts';
import { clusterStreams } from '../gateway/streams/cluster-streams.ts';
import { PodChanges } from '../gateway/streams/pod-changes.ts';
import { StreamRights } from '../gateway/streams/stream-rights.ts';
import { identifyTenant } from '../gateway/who/identify-tenant.ts';
import { OwnerKeys } from '../gateway/who/owner-keys.ts';
import { numberedNodes } from '../gateway/wire/provider-figures.ts';
import { type KnownProvider, providerStatusBody } from '../gateway/wire/provider-status.ts';
import type { DeliveredGateway, Market } from '../market/market.ts';
import { FitQuestions } from '../serve/fit-questions.ts';
import type { LeaderLine } from '../serve/leader-line.ts';
import type { ClusterReplica } from './cluster-replica.ts';
import type { ClusterSettings } from './cluster-role.ts';
import { type Bids, priceScaleOf, termsOf } from './start-bids.ts';
import type { LeaseSources, Leases } from './start-leases.ts';

type Host = RoleHost<ClusterSettings>;

export interface GatewayParts {
  readonly market: Market;
  readonly bids: Pick<Bids, 'decisions'>;
  readonly sources: LeaseSources;
  readonly leases: Leases;
  readonly replica: ClusterReplica;
  readonly leader: LeaderLine;
  /** By which this replica is one of the service. */
  readonly ownToken: () => Promise<string | undefined>;
  readonly isServing: () => boolean;
}

const stopWithinMs = 2_000;
const logsOfPodsPerTenant = 500;
const statusKeptMs = 5_000;
const versionKeptMs = 60_000;
const maxRequestBytes = 2 * 1024 * 1024;
/** Of gRPC. */
const bounds = { connections: 1_000, connectionsPerAddress: 100, streamsPerConnection: 100 } as const;
/** Of one address that nobody known comes from. */
const mostUnknown = 4;

/** Starts the listeners for tenants. Returns where their leases tell them to come. */
export async function startGateway(host: Host, parts: GatewayParts): Promise<() => DeliveredGateway | undefined> {
  const { config, clock, log } = host;
  const { market, bids, sources, leases, leader, ownToken, isServing } = parts;
  const client = await host.kubernetes();
  const ending = new AbortController();
  host.keep('what the gateway asks', () => ending.abort());
  const door = new LeaseDoor({ records: sources.records, sights: leases.sights, decisions: bids.decisions });
  const keys = new OwnerKeys(market, clock, ending.signal);
  const identify = identifyTenant({ keys, hasLease: (owner) => door.hasLease(owner), clock });
  const rights = new StreamRights({ keys, isOpen: (name) => door.isOpen(name), clock, log, longestMs: config['gateway-stream-timeout'] });
  const changes = new PodChanges(sources.caches.pods);
  host.keep('changes of pods', () => changes.stop());
  const account = keptAnswer(clock, versionKeptMs, () => market.account(ending.signal));
  const known = keptAnswer(clock, statusKeptMs, async () => knownProvider(host, parts, await account()));
  const actions = leaderActions({ actions: leases.actions, leader, ownToken, log });
  const publicHost = config['cluster-public-hostname'] ?? '';
  const slowReaderMs = config['gateway-slow-reader-timeout'];
  const cluster = clusterStreams(client, clock, { maxLineBytes: config['gateway-log-line-max'] });
  const podLimits = new StreamLimits({ most: logsOfPodsPerTenant });
  const shared = { podLimits, door, rights, changes, cluster, actions, publicHost, clock, log, caches: sources.caches };
  const { records, manifests, addresses, settings } = sources;
  const journal = new KubeShellJournal({ writer: client, replica: host.replica, clock, random: host.random, log });
  host.keep('records of shells', () => journal.stop());
  const shellsPerMinute = config['gateway-shells-per-minute'];
  const routes = new RouteTable([
    ...publicRoutes({
      version: host.version,
      kubernetes: keptAnswer(clock, versionKeptMs, () => serverVersion(client.transport)),
      account,
      status: keptAnswer(clock, statusKeptMs, async () => providerStatusBody(await known())),
    }),
    ...leaseRoutes({ ...shared, records, manifests, addresses, hostnames: leases.hostnames, terms: settings.terms }),
    ...streamRoutes({
      ...shared,
      journal,
      shellLimits: shellsPerMinute === 0 ? undefined : new ShellLimits({ perMinute: shellsPerMinute, clock }),
      shellIdleMs: config['gateway-shell-idle-timeout'],
    }),
  ]);
  const services = [
    providerRpc({ known, screening: async () => screening(host, parts, await account()), questions: new FitQuestions(clock), clock }),
    leaseRpc({ ...shared, slowReaderMs }),
  ].map(hideCluster);
  const { tls, authority } = await gatewayCertificate(host);
  const listening = { ...limitsOf(config, clock), tls, clock, log };
  const { limits: publicLimits } = limitsOf(config, clock);
  const https = await startHttps(host, { ...listening, publicLimits, routes, identify, slowReaderMs });
  const rpc = await startRpcServer({
    ...{ ...listening, services, isServing, maxRequestBytes, bounds, companions: 'health' },
    ...{ host: config['gateway-host'], port: config['gateway-grpc-port'], authenticate: authenticateTenants(identify) },
  });
  host.keep('gRPC of the gateway', () => rpc.stop(stopWithinMs), 'first');
  const told = addressTold(config, { https, grpc: rpc.port });
  return () => told && { ...told, certificateAuthority: authority() };
}

type HttpsOptions = Omit<ConstructorParameters<typeof GatewayServer>[0], 'onAnswer'>;

async function startHttps(host: Host, options: HttpsOptions): Promise<number> {
  const { config, metrics, clock, log, keep } = host;
  const answers = metrics.counter({
    name: 'quartermaster_gateway_answers_total',
    help: 'Answers to tenants by route and status; of streams, the code that they were closed with.',
    labels: ['route', 'status'],
  });
  const server = new GatewayServer({ ...options, onAnswer: (route, status) => answers.add({ route, status: String(status) }) });
  const streams = metrics.collectGauge({ name: 'quartermaster_gateway_streams', help: 'Streams to tenants that are open.' }, () => [
    { labels: {}, value: server.openStreams },
  ]);
  keep('metrics of the gateway', streams);
  keep(
    'gateway',
    async () => {
      server.stop();
      if (server.server.listening) await closeServer(server.server, stopWithinMs, clock);
    },
    'first',
  );
  const address = config['gateway-host'];
  const port = await listen(server.server, { host: address, port: config['gateway-port'] });
  log.info('gateway listens', { host: address, port });
  return port;
}

/** One tenant has them once, whichever of the listeners it comes to. */
function limitsOf(config: ClusterSettings, clock: Host['clock']) {
  const [perSecond, most] = [config['gateway-requests-per-second'], config['gateway-streams-per-tenant']];
  return {
    limits: perSecond === 0 ? undefined : new CallLimits({ perSecond, clock }),
    streams: new StreamLimits({ most: most === 0 ? Number.POSITIVE_INFINITY : most, mostUnknown }),
  };
}

function knownProvider({ config, clock }: Host, { replica, sources, bids }: GatewayParts, address: string): KnownProvider {
  const { book } = replica;
  return {
    ...{ book, address, errors: [], now: clock.now() },
    leases: sources.records.all(),
    decisions: bids.decisions.all(),
    publicHost: config['cluster-public-hostname'] ?? '',
    nodeName: numberedNodes(book),
  };
}

function screening({ config }: Host, { market, replica, leases }: GatewayParts, provider: string) {
  const scale = priceScaleOf(config);
  return {
    terms: () => termsOf(config),
    decide: replica.reservations.decide,
    prices: scale && { scale, digits: market.priceDigits },
    hostnames: leases.hostnames,
    provider,
  };
}
