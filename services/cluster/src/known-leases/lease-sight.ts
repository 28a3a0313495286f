import type { ManifestGroup } from '@quartermaster/api/lease-manifest';
import type { BidDecision } from '../bids/bid-decision.ts';
import type { LeaseHealthReport, SeenClaim, SeenLeasePod } from '../health/lease-health.ts';
import type { HostnameGrant } from '../hostnames/hostname-book.ts';
import type { LeaseId } from '../model/lease.ts';
import type { Reservation } from '../model/reservation.ts';
import type { LeaseRecord } from './lease-record.ts';

/** All that a replica knows of one lease, from its caches. */
export interface LeaseSight {
  /** Of the order. */
  readonly name: string;
  readonly lease: LeaseId;
  readonly record: LeaseRecord;
  readonly decision?: BidDecision | undefined;
  readonly reservation?: Reservation | undefined;
  /** What is to run: without the values of sensitive variables and credentials. */
  readonly manifest?: { readonly group: ManifestGroup; readonly hash: string } | undefined;
  readonly namespace?: { readonly name: string; readonly uid: string } | undefined;
  /** `unknown` is not closed. On replicas that do not lead it is what is on record. */
  readonly market: { readonly state: 'active' | 'closed' | 'unknown'; readonly reason?: string | undefined };
  /** Undefined while nothing is deployed. */
  readonly health?: LeaseHealthReport | undefined;
  readonly pods: readonly SeenLeasePod[];
  readonly claims: readonly SeenClaim[];
  readonly ports: readonly SeenPort[];
  readonly hostnames: readonly HostnameGrant[];
  /** Where its leased addresses are not what the pool gave it. */
  readonly addressNotes: readonly AddressNote[];
  /** UID of a pod -> devices that it holds, where the inventory says. */
  readonly devices: ReadonlyMap<string, readonly string[]>;
  /** When being unhealthy closes it. */
  readonly closesAt?: number | undefined;
}

/** For the tenant. */
export interface AddressNote {
  readonly service: string;
  readonly message: string;
}

/** A port of a Service of the lease that the cluster has opened, or a leased address. */
export interface SeenPort {
  readonly service: string;
  readonly port: number;
  /** 0 until there is one. */
  readonly externalPort: number;
  readonly protocol: string;
  /** Of a leased address. */
  readonly endpoint?: string | undefined;
  readonly ip?: string | undefined;
  /** The address that it is to get, where it is not to be just any. */
  readonly asked?: string | undefined;
}

/** What looks like a lease and is ignored. */
export interface Stranger {
  readonly namespace: string;
  readonly code: string;
  readonly message: string;
}

/** What every replica can say of leases. */
export interface LeaseSights {
  of(name: string): LeaseSight | undefined;
  all(): readonly LeaseSight[];
  strangers(): readonly Stranger[];
  /** What is not being followed right now. */
  stale(): readonly string[];
}
