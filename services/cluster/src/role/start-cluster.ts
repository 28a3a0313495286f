import { readFile } from 'node:fs/promises';
import { openAccess, principalOf } from '@quartermaster/auth';
import { messageOf, StatusError, sleep } from '@quartermaster/kernel';
import type { CallContext, ClientTls } from '@quartermaster/rpc';
import type { RoleBody, ServedAddresses } from '@quartermaster/runtime';
import type { RoleHost } from '@quartermaster/runtime/host';
import { clusterAccess, routes } from '../access/access-table.ts';
import { callerRoles } from '../access/caller-roles.ts';
import { bidService } from '../bids/bid-service.ts';
import type { DeliveredGateway } from '../market/market.ts';
import type { Reserver } from '../reservations/reserver.ts';
import { LeaderLine, unavailable } from '../serve/leader-line.ts';
import { reservationService } from '../serve/reservation-service.ts';
import type { ReplicaStatus } from '../serve/status-message.ts';
import { leaseService } from '../serve-leases/lease-service.ts';
import { registerHealth } from './cluster-health.ts';
import { clusterMetrics } from './cluster-metrics.ts';
import { type ClusterReplica, startReplica } from './cluster-replica.ts';
import type { ClusterSettings } from './cluster-role.ts';
import { letIn, ownAccount, peerToken } from './peer-identity.ts';
import { type Bids, openMarket, startBids } from './start-bids.ts';
import { startGateway } from './start-gateway.ts';
import { type Leases, leaseHooks, noLeases, openLeases, startLeases } from './start-leases.ts';

type Host = RoleHost<ClusterSettings>;

const lookAgainMs = 50;

/** Starts what a replica knows, what its leader does, and its servers. */
export async function startCluster(host: Host): Promise<RoleBody> {
  const { clock, leadership } = host;
  const replica = await startReplica(host);
  const { book, knowledge, reservations } = replica;
  registerHealth(host.health, { book, reservations: reservations.cache, election: () => leadership.election });
  const isRead = (): boolean => knowledge.current().protocol !== 'unknown' && reservations.cache.isRead;
  const trade = await openMarket(host);
  // Without a market there are no leases, and nothing is read of them.
  const sources = trade && (await openLeases(host, replica));
  const hooks = sources && leaseHooks(sources);
  const bids = await startBids(host, replica, trade && hooks && { market: trade, leases: hooks });
  let gateway: () => DeliveredGateway | undefined = () => undefined;
  const leases = trade && sources ? await startLeases(host, replica, { market: trade, bids, gateway: () => gateway() }, sources) : noLeases;
  const { served, leader } = await serveCluster(host, replica, { bids, leases }, isRead);
  if (trade && sources) {
    const ownToken = (): Promise<string | undefined> => peerToken(host.config);
    gateway = await startGateway(host, { market: trade, bids, sources, leases, replica, leader, ownToken, isServing: isRead });
  }
  const address = host.config['cluster-advertised-address'] ?? reachable(served);
  if (address !== undefined) leadership.reachedAt(address);
  // On a cluster where nothing is installed nothing is written, be it a Lease.
  leadership.standsAfter(async (signal) => {
    while (!reservations.cache.isRead || reservations.cache.isAbsent) await sleep(clock, lookAgainMs, signal);
  });
  return {
    ready: async (signal) => {
      // A cluster that does not know the kind of reservations may never do so: that is told, not waited for.
      while (!isRead() && !reservations.cache.isAbsent) await sleep(clock, lookAgainMs, signal);
    },
    status: () => {
      const { knowledge: inventory, stream, silent } = knowledge.status();
      const problem = inventory.problem ?? reservations.cache.problem() ?? reservations.cache.stale();
      const market = bids.isConfigured ? bids.market() : 'none: nothing is bid for';
      return { generation: inventory.generation?.sequence.toString(), stream, silent, problem: problem?.message, market };
    },
  };
}

async function serveCluster(
  host: Host,
  replica: ClusterReplica,
  { bids, leases }: { readonly bids: Bids; readonly leases: Leases },
  isServing: () => boolean,
): Promise<{ readonly served: ServedAddresses; readonly leader: LeaderLine }> {
  const { config, clock, log, leadership } = host;
  const { book, placing, knowledge, reservations } = replica;
  const metrics = clusterMetrics(host.metrics, book, () => knowledge.status().drifts);
  host.keep('metrics of the cluster', metrics.stop);
  const serving = Promise.withResolvers<ServedAddresses>();
  const tls = async (): Promise<ClientTls | undefined> => await peerTls(config, await serving.promise);
  const leader = new LeaderLine({ replica: host.replica, leader: () => leadership.election, tls });
  host.keep('connection to the leader', () => leader.close());
  const service = reservationService({
    book,
    decide: reservations.decide,
    placing,
    maxLifetimeMs: config['cluster-pending-lifetime'],
    reserver: () => reserverOf(host, replica),
    leader,
    status: replicaStatus(host, replica),
    onDecision: metrics.decided,
    clock,
  });
  const account = await ownAccount(config);
  const access = await openAccess({
    service: host.prefix,
    roles: callerRoles,
    tableOf: () => clusterAccess,
    settings: letIn(config, account),
    ...(await host.serviceAccounts()),
    clock,
    log,
  });
  host.onConfig((newer) => access.update(letIn(newer, account)));
  const served = await host.serve({
    services: [service, bidService(bids), leaseService({ ...leases, coolDownMs: config['hostname-cool-down'], leader })],
    routes: [
      { path: routes.session, answer: (_request, context) => ({ json: callerOf(context) }) },
      { path: routes.metrics, answer: () => host.metrics.scrape() },
    ],
    callers: access.authenticate,
    isServing,
  });
  serving.resolve(served);
  return { served, leader };
}

function reserverOf({ leadership, replica }: Host, { reservations }: ClusterReplica): Reserver | undefined {
  if (!leadership.election.isLeader) return undefined;
  if (reservations.reserver !== undefined) return reservations.reserver;
  throw unavailable(`${replica} has just become the leader and is still reading the reservations that stand: try again`);
}

function replicaStatus({ clock, leadership, version, replica }: Host, { knowledge }: ClusterReplica): () => ReplicaStatus {
  const startedAt = clock.now();
  return () => {
    const { isLeader, holder = '', term } = leadership.election;
    return { clusterId: knowledge.status().clusterId, version, replica, isLeader, leader: holder, term, startedAt };
  };
}

/** Replicas serve alike: where this one has TLS, the others have it. Undefined where nothing could tell the leader from a stranger on the same cluster. */
async function peerTls(config: ClusterSettings, { rest }: ServedAddresses): Promise<ClientTls | undefined> {
  const path = config['cluster-peer-ca-file'];
  if (!rest.startsWith('https:') || path === undefined) return undefined;
  try {
    return { ca: await readFile(path, 'utf8'), serverName: config['cluster-peer-server-name'] };
  } catch (thrown) {
    throw unavailable(`cluster-peer-ca-file ${path} cannot be read, and without it the leader is not believed: ${messageOf(thrown)}`);
  }
}

/** Every address of the machine is none that others could be told, and nothing is sent to one without TLS. */
function reachable({ grpc, rest }: ServedAddresses): string | undefined {
  return !rest.startsWith('https:') || /^(0\.0\.0\.0|\[?::\]?):\d+$/.test(grpc) ? undefined : grpc;
}

/** Who asks, for a console that signs people in with their tokens. */
function callerOf(context: CallContext | undefined): { name: string; role: string } {
  if (context === undefined)
    throw new StatusError('unauthenticated', 'the request was not authenticated: send the header "authorization: Bearer <token>"');
  const { name, role } = principalOf(context.identity);
  return { name, role };
}
