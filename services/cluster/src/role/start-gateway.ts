import { isLoopback } from '@quartermaster/kernel';
import { serverVersion } from '@quartermaster/kube';
import { CallLimits, StreamLimits } from '@quartermaster/rpc';
import type { RoleHost } from '@quartermaster/runtime/host';
import { closeServer, listen } from '@quartermaster/service';
import { gatewayCertificate } from '../gateway/gateway-certificate.ts';
import { KubeShellJournal } from '../gateway/journal/kube-shell-journal.ts';
import { ShellLimits } from '../gateway/journal/shell-limits.ts';
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
import type { DeliveredGateway, Market } from '../market/market.ts';
import type { LeaderLine } from '../serve/leader-line.ts';
import type { ClusterSettings } from './cluster-role.ts';
import type { LeaseSources, Leases } from './start-leases.ts';

type Host = RoleHost<ClusterSettings>;

export interface GatewayParts {
  readonly market: Market;
  readonly sources: LeaseSources;
  readonly leases: Leases;
  readonly leader: LeaderLine;
  /** By which this replica is one of the service. */
  readonly ownToken: () => Promise<string | undefined>;
}

const stopWithinMs = 2_000;
const statusKeptMs = 5_000;
const versionKeptMs = 60_000;

/** Starts the listeners for tenants. Returns where their leases tell them to come. */
export async function startGateway(host: Host, parts: GatewayParts): Promise<() => DeliveredGateway | undefined> {
  const { config, clock, log } = host;
  const { market, sources, leases, leader, ownToken } = parts;
  const client = await host.kubernetes();
  const ending = new AbortController();
  host.keep('what the gateway asks', () => ending.abort());
  const door = new LeaseDoor(sources.records, leases.sights);
  const keys = new OwnerKeys(market, clock, ending.signal);
  const rights = new StreamRights({ keys, isOpen: (name) => door.isOpen(name), clock, log, longestMs: config['gateway-stream-timeout'] });
  const changes = new PodChanges(sources.caches.pods);
  host.keep('changes of pods', () => changes.stop());
  const publicHost = config['cluster-public-hostname'] ?? '';
  const account = keptAnswer(clock, versionKeptMs, () => market.account(ending.signal));
  const actions = leaderActions({ actions: leases.actions, leader, ownToken });
  const { terms } = sources.settings;
  const journal = new KubeShellJournal({ writer: client, replica: host.replica, clock, random: host.random, log });
  host.keep('records of shells', () => journal.stop());
  const shellsPerMinute = config['gateway-shells-per-minute'];
  const routes = new RouteTable([
    ...publicRoutes({
      version: host.version,
      kubernetes: keptAnswer(clock, versionKeptMs, () => serverVersion(client.transport)),
      account,
      status: keptAnswer(clock, statusKeptMs, async () => ({ address: await account() })),
    }),
    ...leaseRoutes({
      door,
      records: sources.records,
      manifests: sources.manifests,
      hostnames: leases.hostnames,
      terms,
      actions,
      publicHost,
    }),
    ...streamRoutes({
      ...{ door, changes, rights, clock, log },
      caches: sources.caches,
      cluster: clusterStreams(client, clock, { maxLineBytes: config['gateway-log-line-max'] }),
      journal,
      shellLimits: shellsPerMinute === 0 ? undefined : new ShellLimits({ perMinute: shellsPerMinute, clock }),
      shellIdleMs: config['gateway-shell-idle-timeout'],
    }),
  ]);
  const certificate = await gatewayCertificate(host);
  const answers = host.metrics.counter({
    name: 'quartermaster_gateway_answers_total',
    help: 'Answers to tenants by route and status; of streams, the code that they were closed with.',
    labels: ['route', 'status'],
  });
  const perSecond = config['gateway-requests-per-second'];
  const most = config['gateway-streams-per-tenant'];
  const server = new GatewayServer({
    ...{ routes, clock, log },
    identify: identifyTenant({ keys, hasLease: (owner) => door.hasLease(owner), clock }),
    limits: perSecond === 0 ? undefined : new CallLimits({ perSecond, clock }),
    streams: most === 0 ? undefined : new StreamLimits({ most }),
    tls: certificate.tls,
    slowReaderMs: config['gateway-slow-reader-timeout'],
    onAnswer: (route, status) => answers.add({ route, status: String(status) }),
  });
  const gauge = host.metrics.collectGauge({ name: 'quartermaster_gateway_streams', help: 'Streams to tenants that are open.' }, () => [
    { labels: {}, value: server.openStreams },
  ]);
  host.keep('metrics of the gateway', gauge);
  host.keep(
    'gateway',
    async () => {
      server.stop();
      if (server.server.listening) await closeServer(server.server, stopWithinMs, clock);
    },
    'first',
  );
  const port = await listen(server.server, { host: config['gateway-host'], port: config['gateway-port'] });
  log.info('gateway listens', { host: config['gateway-host'], port });
  const told = addressTold(config, { port, grpcPort: undefined });
  return () => told && { ...told, certificateAuthority: certificate.authority() };
}

type Ports = { readonly port: number; readonly grpcPort: number | undefined };

function addressTold(config: ClusterSettings, { port, grpcPort }: Ports): Omit<DeliveredGateway, 'certificateAuthority'> | undefined {
  const uri = config['gateway-public-url'];
  if (uri !== undefined) return { uri: uri.replace(/\/$/, ''), grpcAddress: config['gateway-public-grpc-address'] ?? '' };
  const host = config['gateway-host'];
  if (!isLoopback(host)) return undefined;
  const at = host.includes(':') ? `[${host}]` : host;
  return { uri: `https://${at}:${port}`, grpcAddress: grpcPort === undefined ? '' : `${at}:${grpcPort}` };
}
