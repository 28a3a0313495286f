import type { Permission } from '@quartermaster/api/lease-manifest';
import type { Clock, Log } from '@quartermaster/kernel';
import type { KubeReader, KubeWriter } from '@quartermaster/kube';
import type { AddressBook } from '../addresses/address-book.ts';
import type { AddressClaims } from '../addresses/address-claims.ts';
import type { MarketView } from '../bids/market-view.ts';
import type { NodeTerms } from '../book/node-terms.ts';
import type { HostnameBook, HostnameClaims } from '../hostnames/hostname-book.ts';
import type { HostnameTerms } from '../hostnames/wanted-hostnames.ts';
import type { LeaseCaches } from '../known-leases/lease-caches.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { ManifestStore } from '../known-leases/manifest-store.ts';
import type { RecordStore } from '../known-leases/record-store.ts';
import type { SeenNamespaces } from '../known-leases/seen-namespaces.ts';
import type { SeenNodes } from '../known-leases/seen-nodes.ts';
import type { Market } from '../market/market.ts';
import type { LeaseId } from '../model/lease.ts';
import type { ClusterNetworks } from '../networks/cluster-networks.ts';
import type { ApiServerEndpoint, ObjectSettings } from '../objects/desired.ts';
import type { ReservationBook } from '../reservations/reservation-cache.ts';
import type { Reserver } from '../reservations/reserver.ts';
import type { LeaseDeadlines } from './lease-transitions.ts';

/** What is known of leases on every replica. */
export interface LeaseKnowledge {
  readonly records: RecordStore;
  readonly manifests: ManifestStore;
  readonly caches: LeaseCaches;
  readonly namespaces: SeenNamespaces;
  readonly nodes: SeenNodes;
  readonly hostnames: HostnameBook;
  readonly addresses: AddressBook;
  readonly book: Pick<ReservationBook, 'reservation' | 'reservations'> & { readonly nodeTerms: NodeTerms };
}

export interface LeaseSettings {
  readonly manifestNamespace: string;
  readonly objects: ObjectSettings;
  /** What services may ask to read of their own lease. */
  readonly permissions: readonly Permission[];
  readonly terms: HostnameTerms;
  readonly deadlines: LeaseDeadlines;
}

/** What the leader does leases with, for one term. */
export interface LeaseContext extends LeaseKnowledge {
  readonly market: Market;
  readonly view: Pick<MarketView, 'of' | 'ask' | 'answered' | 'problem' | 'status'>;
  readonly reserver: () => Reserver | undefined;
  readonly reader: KubeReader;
  readonly writer: KubeWriter;
  readonly hostnameClaims: HostnameClaims;
  readonly addressClaims: AddressClaims;
  readonly settings: LeaseSettings;
  /** Undefined until they are known: nothing is made by what is not. */
  readonly networks: () => ClusterNetworks | undefined;
  readonly apiServers: () => readonly ApiServerEndpoint[] | undefined;
  readonly announce: (what: 'manifest' | 'complete' | 'hostname', lease: LeaseId, hostname?: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** A lease that is looked at. */
export interface LeaseAt {
  readonly name: string;
  readonly lease: LeaseId;
  readonly record: LeaseRecord;
  readonly signal: AbortSignal;
}
