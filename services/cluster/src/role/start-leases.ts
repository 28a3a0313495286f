import { deploymentManagerCompleteTopic, hostnameReservedTopic, manifestReceivedTopic } from '@quartermaster/api/market-topics';
import { orderText } from '@quartermaster/api/states';
import { messageOf, pause, StatusError } from '@quartermaster/kernel';
import type { RoleHost, Term } from '@quartermaster/runtime/host';
import { degraded, healthy } from '@quartermaster/service';
import { AddressBook } from '../addresses/address-book.ts';
import { AddressClaims } from '../addresses/address-claims.ts';
import type { MarketView } from '../bids/market-view.ts';
import { ShellStore } from '../gateway/journal/shell-store.ts';
import { ClaimStore } from '../hostnames/claim-store.ts';
import type { HostnameBook } from '../hostnames/hostname-book.ts';
import { LeaseCaches } from '../known-leases/lease-caches.ts';
import type { LeaseSights } from '../known-leases/lease-sight.ts';
import { ManifestStore } from '../known-leases/manifest-store.ts';
import { RecordStore } from '../known-leases/record-store.ts';
import { SeenApiServers } from '../known-leases/seen-api-servers.ts';
import { SeenNamespaces } from '../known-leases/seen-namespaces.ts';
import { SeenNodes } from '../known-leases/seen-nodes.ts';
import type { LeaseActions } from '../leases/lease-action-types.ts';
import { leaseActions } from '../leases/lease-actions.ts';
import type { LeaseContext, LeaseKnowledge, LeaseSettings } from '../leases/lease-context.ts';
import { type CountedSight, countedSight } from '../leases/lease-deadline.ts';
import { leaseDelivery } from '../leases/lease-delivery.ts';
import { LeaseManager } from '../leases/lease-manager.ts';
import { leaseStand } from '../leases/lease-runs.ts';
import type { CountedFrom } from '../leases/lease-transitions.ts';
import { leaseView } from '../leases/lease-view.ts';
import { type LeaseFuses, letEndsThrough } from '../leases/let-ends-through.ts';
import { lostPods } from '../leases/lost-pods.ts';
import type { DeliveredGateway, Market } from '../market/market.ts';
import type { ClusterNetworks } from '../networks/cluster-networks.ts';
import { openAddress } from '../networks/open-address.ts';
import { OrderTurns } from '../reservations/order-turns.ts';
import { unavailable } from '../serve/leader-line.ts';
import type { ClusterReplica } from './cluster-replica.ts';
import type { ClusterSettings } from './cluster-role.ts';
import { leaseMetrics } from './lease-metrics.ts';
import { fuseLimitsOf, hostnameRulesOf, leaseSettingsOf } from './lease-options.ts';
import type { Bids, LeaseHooks } from './start-bids.ts';
import { sweepLeases } from './sweep-leases.ts';
import { sweepShells } from './sweep-shells.ts';

type Host = RoleHost<ClusterSettings>;

/** What a replica knows of leases, and what its leader does for them. */
export interface Leases {
  readonly sights: LeaseSights;
  readonly hostnames: HostnameBook;
  readonly shells: Pick<ShellStore, 'all' | 'of'>;
  /** While this replica leads. */
  readonly actions: () => LeaseActions | undefined;
}

/** Of a provider that has no market. */
export const noLeases: Leases = {
  sights: { of: () => undefined, all: () => [], strangers: () => [], stale: () => [] },
  hostnames: { check: () => [], heldBy: () => [], holderOf: () => undefined, all: () => [] },
  shells: { all: () => [], of: () => [] },
  actions: () => {
    throw new StatusError('failed_precondition', 'this provider has no market, and so no leases: set cluster-market-address');
  },
};

const leasesAtOnce = 16;
const sweepEveryMs = 30_000;
/** A machine is given up after minutes. */
const lostPodsEveryMs = 2_000;

/** What every replica follows of leases. */
export interface LeaseSources extends LeaseKnowledge {
  readonly hostnames: ClaimStore;
  readonly apiServers: SeenApiServers;
  readonly shells: ShellStore;
  readonly settings: LeaseSettings;
}

export async function openLeases(host: Host, { book }: Pick<ClusterReplica, 'book'>): Promise<LeaseSources> {
  const { config, clock, random } = host;
  const client = await host.kubernetes();
  const caches = await host.caches.opener();
  const settings = leaseSettingsOf(config);
  const sources: LeaseSources = {
    ...{ book, settings },
    namespaces: new SeenNamespaces(caches, clock),
    records: new RecordStore(caches, client, clock),
    manifests: new ManifestStore(caches, client, {
      namespace: settings.manifestNamespace,
      sensitiveEnv: config['sensitive-env'],
      random,
      clock,
    }),
    caches: new LeaseCaches(caches, settings.manifestNamespace, clock),
    nodes: new SeenNodes(caches, config['deployment-blocked-networks']),
    apiServers: new SeenApiServers(caches),
    addresses: new AddressBook(caches, clock),
    shells: new ShellStore(caches, { clock, longestMs: config['gateway-stream-timeout'] }),
    hostnames: new ClaimStore({
      ...{ reader: client, caches, clock, rules: hostnameRulesOf(config) },
      coolDownMs: config['hostname-cool-down'],
      namesPerOwner: config['hostnames-per-owner'],
    }),
  };
  const unregister = host.health.register('leases', 'ready', () => {
    const { records, hostnames, addresses, apiServers, shells } = sources;
    const problem =
      records.problem() ?? hostnames.problem() ?? addresses.problem() ?? apiServers.problem() ?? shells.problem() ?? reachedPods(sources);
    return problem === undefined ? healthy : degraded(problem);
  });
  host.keep('health of leases', unregister);
  return sources;
}

export const leaseHooks = (sources: LeaseSources): LeaseHooks => ({
  stand: (name) => leaseStand(sources, name),
  source: sources.records.source,
});

const networksOf = ({ nodes, apiServers }: LeaseSources): ClusterNetworks | undefined =>
  nodes.networks(apiServers.serviceCidrs(), apiServers.endpoints());

/** Only told: what runs goes on. */
function reachedPods(sources: LeaseSources): string | undefined {
  const { settings, caches } = sources;
  const networks = networksOf(sources);
  return networks === undefined || !settings.objects.hasNetworkPolicies ? undefined : openAddress(caches.pods.entries(), networks);
}

export interface Trade {
  readonly market: Market;
  readonly bids: Bids;
  /** Where tenants are served. */
  readonly gateway: () => DeliveredGateway | undefined;
}

export async function startLeases(
  host: Host,
  replica: Pick<ClusterReplica, 'book' | 'reservations'>,
  { market, bids, gateway }: Trade,
  sources: LeaseSources,
): Promise<Leases> {
  const { clock, log } = host;
  const client = await host.kubernetes();
  const { settings, apiServers, hostnames, addresses, shells } = sources;
  const { view } = bids;
  let actions: LeaseActions | undefined;
  let counted: (() => CountedFrom | undefined) | undefined;
  const sights = leaseView({
    ...sources,
    decisions: bids.decisions,
    marketOf: (name) => (host.leadership.election.isLeader ? view?.of(name) : undefined),
    podsOf: (name) => replica.book.podsOf(name),
    countedFrom: () => counted?.(),
    now: () => clock.now(),
  });
  host.keep('metrics of leases', leaseMetrics(host.metrics, sights));
  if (view !== undefined) {
    const fuses = await openFuses(host);
    const turns = new OrderTurns({ atOnce: leasesAtOnce * 2, maxCalls: 1_000 });
    const contextFor = (term: Term): LeaseContext => ({
      ...sources,
      ...{ market, view, settings, clock, log },
      reserver: () => replica.reservations.reserver,
      reader: client,
      writer: term.writer,
      hostnameClaims: hostnames.claimsBy(term.writer, term.signal),
      addressClaims: new AddressClaims(addresses, client, term.writer),
      networks: () => networksOf(sources),
      apiServers: () => apiServers.endpoints(),
      announce: (what, lease, hostname) => announce(host, what, lease, hostname),
    });
    const contexts = new WeakMap<Term, LeaseContext>(); // term -> what all that is done in it shares, turns for hostnames among it
    const contextOf = (term: Term): LeaseContext => {
      const context = contexts.get(term) ?? contextFor(term);
      contexts.set(term, context);
      return context;
    };
    lead(
      host,
      { contextOf, turns, fuses, view, sights, sources, replica, gateway },
      { acts: (led) => (actions = led), counts: (seen) => (counted = seen) },
    );
  }
  return { sights, hostnames, shells, actions: () => (host.leadership.election.isLeader ? (actions ?? notYet(host.replica)) : undefined) };
}

function notYet(replica: string): never {
  throw unavailable(`${replica} has just become the leader and is still reading the leases that stand: try again`);
}

interface Leading {
  readonly contextOf: (term: Term) => LeaseContext;
  readonly turns: OrderTurns;
  readonly fuses: LeaseFuses;
  readonly view: MarketView;
  readonly sights: LeaseSights;
  readonly sources: LeaseSources;
  readonly replica: Pick<ClusterReplica, 'book' | 'reservations'>;
  readonly gateway: Trade['gateway'];
}

/** Told of what there is while it leads. */
interface Led {
  readonly acts: (actions: LeaseActions | undefined) => void;
  readonly counts: (seen: (() => CountedFrom | undefined) | undefined) => void;
}

function lead(host: Host, leading: Leading, { acts, counts }: Led): void {
  const { contextOf, turns, fuses, view, sights, sources, replica, gateway } = leading;
  const { leadership, clock, config, log } = host;
  const { records, namespaces, caches, manifests, hostnames, addresses, nodes, apiServers, shells } = sources;
  // Its manifest comes before its namespace.
  const nameOf = (namespace: string): string | undefined => records.nameOf(namespace) ?? namespaces.orderOf(namespace);
  // A market that is away holds up no lease: what it said before is recorded.
  const market = { ...view.source, isSynced: () => true, whenSynced: async () => {} };
  // What is not read yet would look like a cluster that cannot be seen, and be recorded so.
  const seen = [nodes.source, apiServers.source];
  const claims = [hostnames.source, addresses.source];
  const own = [...seen, ...claims, records.source, namespaces.source, ...manifests.source(nameOf), ...caches.sources(nameOf)];
  leadership.controller({
    name: 'leases',
    sources: [market, replica.reservations.cache.source, ...own],
    workers: leasesAtOnce,
    fullPassIntervalMs: 60_000,
    reconciler: (term) => new LeaseManager(contextOf(term), turns),
  });
  leadership.controller({
    name: 'lease-delivery',
    sources: [market, ...own],
    workers: 4,
    fullPassIntervalMs: 60_000,
    reconciler: (term) => leaseDelivery(contextOf(term).market, sights, config['cluster-public-hostname'] ?? '', { log, clock, gateway }),
  });
  leadership.duty('lost-pods', async (term) => {
    let lost: ReadonlySet<string> = new Set();
    while (!term.signal.aborted) {
      const pods = [...caches.pods.entries()].map(({ value }) => value);
      lost = lostPods(pods, (node) => nodes.isHeard(node), lost);
      replica.book.setLostPods(lost);
      await pause(clock, lostPodsEveryMs, term.signal);
    }
  });
  leadership.duty('lease-ends', async (term) => {
    const look = countedSight(contextOf(term), clock);
    let last: ReturnType<CountedSight> | undefined;
    counts(() => last);
    await letEndsThrough(contextOf(term), fuses, term, { clock, seen: () => (last = look()) });
    counts(undefined);
  });
  leadership.duty('lease-actions', async (term) => {
    const context = contextOf(term);
    acts(leaseActions(context, turns));
    const { 'lease-retention': retentionMs, 'gateway-shell-records-per-lease': mostOfLease } = config;
    while (!term.signal.aborted) {
      await pause(clock, sweepEveryMs, term.signal);
      if (term.signal.aborted) break;
      await sweepLeases(context, retentionMs, term.signal).catch((thrown: unknown) =>
        log.debug('old records of leases cannot be forgotten', { error: messageOf(thrown) }),
      );
      await sweepShells({ ...context, shells }, { retentionMs, mostOfLease }, term.signal).catch((thrown: unknown) =>
        log.debug('old records of shells cannot be forgotten', { error: messageOf(thrown) }),
      );
    }
    acts(undefined);
  });
}

async function openFuses(host: Host): Promise<LeaseFuses> {
  const limits = fuseLimitsOf(host.config);
  return {
    ends: await host.fuse({ name: 'leases', what: 'leases that the market says are closed', ...limits }),
    closings: await host.fuse({ name: 'lease-closings', what: 'leases that exceeded a deadline', ...limits }),
  };
}

/** Nobody waits for it, and nobody relies on it. */
function announce(
  host: Host,
  what: Parameters<LeaseContext['announce']>[0],
  lease: Parameters<LeaseContext['announce']>[1],
  hostname = '',
): void {
  const told = { order: orderText(lease), at: host.clock.now() };
  const bus = host.bus?.bus;
  const publishing =
    what === 'hostname'
      ? bus?.publish(hostnameReservedTopic, { ...told, hostname })
      : bus?.publish(what === 'manifest' ? manifestReceivedTopic : deploymentManagerCompleteTopic, told);
  publishing?.catch((thrown: unknown) => host.log.debug('an announcement was not published', { error: messageOf(thrown) }));
}
