import type { LeaseId } from '../model/lease.ts';

export const leaseStates = ['Pending', 'Active', 'Error', 'Complete'] as const;
export type LeaseState = (typeof leaseStates)[number];

/** The reason of a lease of which the API server refuses an object. */
export const refusedByCluster = 'RefusedByCluster';

/** What the leader has seen and done of a lease, as its TenantLease says. Times are of the wall clock, milliseconds. */
export interface LeaseRecord {
  /** Of its object, made of the order. */
  readonly name: string;
  readonly uid: string;
  readonly lease: LeaseId;
  readonly namespace: string;
  readonly state: LeaseState;
  readonly reason: string;
  readonly message: string;
  readonly since: number;
  readonly namespaceUid?: string | undefined;
  readonly manifestHash?: string | undefined;
  readonly refused?: RefusedManifest | undefined;
  readonly wonAt?: number | undefined;
  readonly manifestAt?: number | undefined;
  readonly deployedAt?: number | undefined;
  readonly runningAt?: number | undefined;
  readonly unhealthySince?: number | undefined;
  readonly closingAt?: number | undefined;
  readonly completeAt?: number | undefined;
  readonly closedReason?: string | undefined;
  readonly leftovers: readonly LeaseLeftover[];
}

export interface RefusedManifest {
  readonly hash: string;
  readonly reason: string;
  readonly message: string;
  readonly at: number;
}

export interface LeaseLeftover {
  readonly what: string;
  readonly message: string;
  readonly since: number;
}

const longestText = 2_048;

/** As much of it as a record has room for. What is compared with a record, or told of it, is this: otherwise a long text would be another one at each look. */
export const recordText = (text: string): string =>
  (text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text).toWellFormed();
