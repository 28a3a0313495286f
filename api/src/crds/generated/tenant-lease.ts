// Made from api/crds/tenant-lease.yaml by `npm run generate`. Do not edit.
import type { ObjectMeta, ResourceType } from '@quartermaster/kernel';

/** How a lease goes. The object has the name of its order, as its Reservation and its BidDecision have. It is kept for a while after the lease has ended. */
export interface TenantLease {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: TenantLeaseSpec;
  readonly status?: TenantLeaseStatus | undefined;
}

export interface TenantLeaseSpec {
  readonly lease: RecordedLeaseId;
  /** The name of its namespace. It is the lease's by its uid, which the status records. */
  readonly namespace: string;
}

export interface TenantLeaseStatus {
  /**
   * Pending: the manifest is missing. Active: it is deployed, or being deployed. Error: it cannot be deployed, for the reason; whoever puts that right has it go
   * on. Complete: the lease is closed, and all its resources are removed.
   */
  readonly state?: 'Pending' | 'Active' | 'Error' | 'Complete' | undefined;
  /** For programs: CamelCase. */
  readonly reason?: string | undefined;
  /** Why it is so, for people of the provider: it may have words of the API server and of admission webhooks, of which the tenant is told that there are such. */
  readonly message?: string | undefined;
  /** Since when state and reason are what they are. */
  readonly since?: string | undefined;
  readonly namespaceUid?: string | undefined;
  /** Of the manifest that is deployed. */
  readonly manifestHash?: string | undefined;
  readonly refused?: RefusedManifest | undefined;
  readonly wonAt?: string | undefined;
  /** When the manifest that is deployed came. */
  readonly manifestAt?: string | undefined;
  /** When all objects of it were there. */
  readonly deployedAt?: string | undefined;
  /** When all replicas were first available. */
  readonly runningAt?: string | undefined;
  /** Since when it is seen to be unhealthy without a break. Absent while it is healthy, or not seen. */
  readonly unhealthySince?: string | undefined;
  /** When its end began. It is not taken back. */
  readonly closingAt?: string | undefined;
  readonly completeAt?: string | undefined;
  /** Why the lease was closed, as the market says. */
  readonly closedReason?: string | undefined;
  /** What could not be removed yet. */
  readonly leftovers?: readonly LeaseLeftover[] | undefined;
}

export interface RecordedLeaseId {
  readonly owner: string;
  /** A number of 64 bits. */
  readonly dseq: string;
  readonly gseq: number;
  readonly oseq: number;
  readonly provider: string;
}

/** The newest manifest, where it cannot be deployed. What was deployed before it goes on. */
export interface RefusedManifest {
  readonly hash: string;
  readonly reason?: string | undefined;
  readonly message: string;
  readonly at?: string | undefined;
}

export interface LeaseLeftover {
  readonly what: string;
  readonly message: string;
  readonly since?: string | undefined;
}

export const tenantLeaseType: ResourceType<TenantLease> = {
  group: 'quartermaster.dev',
  version: 'v1alpha1',
  kind: 'TenantLease',
  plural: 'tenantleases',
  namespaced: false,
};
