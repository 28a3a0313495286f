import type { Source } from '@quartermaster/controller';
import { type Clock, type Log, silentLog, systemRandom } from '@quartermaster/kernel';
import type { CacheOpener, KubeClient } from '@quartermaster/kube';
import { ConfigMapFuseStore, type FuseOptions, RoleFuse, type RoleHost, type RoleLeadership } from '@quartermaster/runtime/host';
import { Metrics } from '@quartermaster/service';
import type { MarketView } from '../src/bids/market-view.ts';
import { nodeTerms } from '../src/book/node-terms.ts';
import type { Market } from '../src/market/market.ts';
import type { ReservationBook } from '../src/reservations/reservation-cache.ts';
import type { Reserver } from '../src/reservations/reserver.ts';
import type { ClusterReplica } from '../src/role/cluster-replica.ts';
import { type ClusterSettings, clusterRole } from '../src/role/cluster-role.ts';
import type { Bids, LeaseHooks } from '../src/role/start-bids.ts';
import { type Leases, leaseHooks, openLeases, startLeases } from '../src/role/start-leases.ts';

export interface LeaseHostOptions {
  readonly client: KubeClient;
  readonly caches: CacheOpener;
  readonly leadership: Pick<RoleLeadership, 'duty' | 'controller'>;
  readonly market: Market;
  readonly view: Pick<MarketView, 'of' | 'ask' | 'answered' | 'problem' | 'status' | 'source'>;
  readonly book: Pick<ReservationBook, 'reservation' | 'reservations'>;
  readonly reservations: { readonly reserver: Reserver | undefined; readonly cache: { readonly source: Source } };
  readonly clock: Clock;
  readonly log?: Log | undefined;
}

/** The ConfigMap with what the fuses have let through, in the namespace of manifests. */
export const fuseName = 'quartermaster-cluster-removals';

/** Deadlines and limits that nothing gets to. */
const config: ClusterSettings = clusterRole.own.schema.parse({
  ...{
    'hostname-cool-down': '1h',
    'manifest-timeout': '1h',
    'lease-unhealthy-timeout': '1h',
    'lease-retention': '1d',
    'hostnames-per-owner': 10_000,
  },
  ...{
    'sensitive-env': ['*PASSWORD*', '*TOKEN*'],
    'deployment-runtime-class': 'none',
    'deployment-ingress-controllers': ['ingress-nginx'],
  },
});

/** The part of a replica that has to do with leases, as the role starts it, without the rest of the role: its fuses store what they let through, and hold nothing back. */
export async function startLeaseHost(options: LeaseHostOptions): Promise<{
  readonly leases: Leases;
  /** For the bid engine: whether something of a lease may run, and what tells of its end. */
  readonly hooks: LeaseHooks;
}> {
  const { client, caches, leadership, market, view, book, reservations, clock, log = silentLog } = options;
  const host = {
    ...{ config, clock, log, random: systemRandom },
    kubernetes: async () => client,
    caches: { opener: async () => caches },
    health: { register: () => () => {} },
    metrics: new Metrics({ process: false }),
    keep: () => {},
    fuse: async (asked: FuseOptions) => {
      const place = { namespace: config['k8s-manifest-ns'], name: fuseName, fuse: asked.name };
      return new RoleFuse(new ConfigMapFuseStore(client, place), { ...asked, maxRemovals: Number.POSITIVE_INFINITY }, { clock, log });
    },
    leadership: { ...leadership, election: { isLeader: true } },
  } as unknown as RoleHost<ClusterSettings>;
  const counted = {
    reservation: (name: string) => book.reservation(name),
    reservations: () => book.reservations(),
    // Of no interest without an inventory.
    podsOf: () => [],
    nodeTerms: nodeTerms(new Map(), () => ({ protocol: 'deltas' })),
    setLostPods: () => {},
  };
  const replica = { book: counted, reservations, placing: {} } as unknown as ClusterReplica;
  const bids = { view, decisions: { of: () => undefined } } as unknown as Bids;
  const sources = await openLeases(host, replica);
  const leases = await startLeases(host, replica, { market, bids, gateway: () => undefined }, sources);
  return { leases, hooks: leaseHooks(sources) };
}
