import { type LeaseRecord, type LeaseState, recordText, refusedByCluster } from '../known-leases/lease-record.ts';
import { tenantMessage } from './tenant-view.ts';

/*
 * The way of a lease. Each look at it tells what is so (an event), and the table says what that makes of its record. Nothing here ends a lease: a deadline that is over
 * (`overdue`) is a reason to ask the market to close it, and only what the market says of this lease ends it.
 *
 *   from              | what is so                              | to       | reason          | deadline
 *   ------------------|-----------------------------------------|----------|-----------------|--------------------------------------
 *   (none)            | the market has the lease                | Pending  | ManifestMissing | manifest-timeout, from when it was won
 *   any but Complete  | a manifest was accepted                 | Active   | Deploying       |
 *   Pending, Error    | the first manifest was refused          | Error    | ManifestRefused | manifest-timeout, from when it was won
 *   Active, Error     | a later manifest was refused            | the same | the same        |
 *   any but Complete  | its namespace is there                  | the same | the same        |
 *   any but Complete  | something is in the way of the objects  | Error    | as it says      | lease-unhealthy-timeout, while seen to lack replicas
 *   Active, Error     | its objects were all created            | Active   | Deploying       |
 *   Active, Error     | its objects wait for something          | Active   | Deploying       |
 *   Active, Error     | not all replicas were available yet     | Active   | Deploying       | seen to lack them after lease-unhealthy-timeout
 *   Active, Error     | all replicas are available              | Active   | Running         |
 *   Active, Error     | seen to lack replicas                   | Active   | Unhealthy       | lease-unhealthy-timeout, from when it was first seen
 *   Active            | it cannot be seen                       | Active   | NotSeen         |
 *   any but Complete  | the market says that it is closed       | the same | Closing         |
 *   any but Complete  | its end was let through                 | the same | Closing         |
 *   any but Complete  | closed, and everything of it is gone    | Complete | Closed          |
 */

export type LeaseEvent =
  | { readonly kind: 'won' }
  | { readonly kind: 'manifest-accepted'; readonly hash: string }
  /** It has a namespace. */
  | { readonly kind: 'placed'; readonly namespaceUid: string }
  | { readonly kind: 'manifest-refused'; readonly hash: string; readonly reason: string; readonly message: string }
  /** `isDown`: replicas are seen to be missing meanwhile, or nothing runs yet. */
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string; readonly isDown?: boolean }
  /** Its objects wait for something to come or to go. */
  | { readonly kind: 'under-way'; readonly message: string; readonly isDown?: boolean }
  | { readonly kind: 'deployed' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running' }
  | { readonly kind: 'unhealthy'; readonly message: string }
  | { readonly kind: 'not-seen'; readonly message: string }
  /** The market says that it is closed; then its end is let through. */
  | { readonly kind: 'closing'; readonly why: string }
  | { readonly kind: 'ends'; readonly why: string }
  | { readonly kind: 'gone' };

export interface LeaseDeadlines {
  readonly manifestTimeoutMs: number;
  readonly unhealthyTimeoutMs: number;
}

/** Time before this does not count: nobody could have sent a manifest, or seen what runs. */
export interface CountedFrom {
  readonly market?: number | undefined;
  readonly cluster?: number | undefined;
}

interface Row {
  readonly from: readonly LeaseState[];
  readonly to: LeaseState | 'same';
  /** Undefined: the reason stays as well. */
  readonly reason?: string;
}

const open: readonly LeaseState[] = ['Pending', 'Active', 'Error'];

const table: Readonly<Record<LeaseEvent['kind'], readonly Row[]>> = {
  won: [{ from: ['Pending'], to: 'Pending', reason: 'ManifestMissing' }],
  'manifest-accepted': [{ from: open, to: 'Active', reason: 'Deploying' }],
  'manifest-refused': [
    { from: ['Pending', 'Error'], to: 'Error', reason: 'ManifestRefused' },
    { from: ['Active'], to: 'same' },
  ],
  placed: [{ from: open, to: 'same' }],
  blocked: [{ from: open, to: 'Error', reason: 'as it says' }],
  'under-way': [{ from: ['Active', 'Error'], to: 'Active', reason: 'Deploying' }],
  deployed: [{ from: ['Active', 'Error'], to: 'Active', reason: 'Deploying' }],
  starting: [{ from: ['Active', 'Error'], to: 'Active', reason: 'Deploying' }],
  running: [{ from: ['Active', 'Error'], to: 'Active', reason: 'Running' }],
  unhealthy: [{ from: ['Active', 'Error'], to: 'Active', reason: 'Unhealthy' }],
  'not-seen': [{ from: ['Active'], to: 'Active', reason: 'NotSeen' }],
  closing: [{ from: open, to: 'same', reason: 'Closing' }],
  ends: [{ from: open, to: 'same', reason: 'Closing' }],
  gone: [{ from: open, to: 'Complete', reason: 'Closed' }],
};

/** What the record says after that; the same record where nothing changes, and where the table has no way from its state. */
export function advance(record: LeaseRecord, event: LeaseEvent, now: number): LeaseRecord {
  const row = table[event.kind].find(({ from }) => from.includes(record.state));
  if (row === undefined) return record;
  const facts = factsAfter(record, event, now);
  // What was accepted before a manifest that is refused goes on, or says what is in its way.
  const isRefusedUpdate = event.kind === 'manifest-refused' && record.manifestHash !== undefined;
  if (row.reason === undefined || isRefusedUpdate) return { ...record, ...facts };
  // One that ends says so, whatever else is seen of it; and none is gone that did not end.
  if ((record.closingAt !== undefined) !== (event.kind === 'gone')) return record;
  const state = row.to === 'same' ? record.state : row.to;
  const reason = event.kind === 'blocked' ? event.reason : row.reason;
  const since = state === record.state && reason === record.reason ? record.since : now;
  return { ...record, ...facts, state, reason, message: recordText(messageOf(record, event)), since };
}

function factsAfter(record: LeaseRecord, event: LeaseEvent, now: number): Partial<LeaseRecord> {
  switch (event.kind) {
    case 'won':
      return { wonAt: record.wonAt ?? now };
    case 'manifest-accepted':
      if (record.manifestHash === event.hash) return { refused: undefined };
      return {
        manifestHash: event.hash,
        manifestAt: now,
        refused: undefined,
        deployedAt: undefined,
        runningAt: undefined,
        unhealthySince: undefined,
      };
    case 'manifest-refused': {
      const { hash, reason } = event;
      const message = recordText(event.message);
      return record.refused?.hash === hash && record.refused.message === message ? {} : { refused: { hash, reason, message, at: now } };
    }
    case 'placed':
      return { namespaceUid: event.namespaceUid };
    case 'deployed':
      return { deployedAt: record.deployedAt ?? now };
    case 'running':
      return { runningAt: record.runningAt ?? now, unhealthySince: undefined };
    case 'unhealthy':
      return { unhealthySince: record.unhealthySince ?? now };
    // Time in which it was not seen does not count.
    case 'not-seen':
    case 'starting':
      return { unhealthySince: undefined };
    case 'blocked':
      return { unhealthySince: event.isDown === true ? (record.unhealthySince ?? now) : undefined };
    // Going from one to the other and back does not put the deadline off.
    case 'under-way':
      return event.isDown === true ? {} : { unhealthySince: undefined };
    case 'closing':
      return {};
    case 'ends':
      return { closingAt: now, closedReason: event.why, unhealthySince: undefined };
    case 'gone':
      return { completeAt: now, leftovers: [], unhealthySince: undefined };
  }
}

const because = (why: string): string => (why === '' ? '' : `: ${why}`);

function messageOf({ closedReason = '', message }: LeaseRecord, event: LeaseEvent): string {
  switch (event.kind) {
    case 'placed':
      return message;
    case 'won':
      return 'waiting for the manifest of the deployment';
    case 'manifest-accepted':
    case 'deployed':
      return 'creating the objects of the lease';
    case 'running':
      return 'all replicas are available';
    // Which replicas lack what changes from moment to moment, and is told with the services: a record is not written for it.
    case 'starting':
      return 'replicas are starting';
    case 'closing':
      return `the market says that it is closed${because(event.why)}; it keeps running until its provider has its workload removed`;
    case 'ends':
      return `the market says that it is closed${because(event.why)}; its workload is being removed`;
    case 'gone':
      return closedReason === '' ? 'the lease is closed, and all its resources are removed' : `the lease is closed: ${closedReason}`;
    default:
      return event.message;
  }
}

/** Why the market is to be asked to close the lease: a deadline is over. Undefined while none is, with when the next one will be. */
export function overdue(
  record: LeaseRecord,
  { manifestTimeoutMs, unhealthyTimeoutMs }: LeaseDeadlines,
  now: number,
  { market = 0, cluster = 0 }: CountedFrom = {},
): { readonly message: string } | { readonly inMs: number } | undefined {
  if (record.state === 'Complete' || record.closingAt !== undefined) return undefined;
  // What the cluster refused to store, the tenant had sent in time.
  if (record.manifestHash === undefined && record.wonAt !== undefined && record.reason !== refusedByCluster) {
    const inMs = Math.max(record.wonAt, market) + manifestTimeoutMs - now;
    if (inMs > 0) return { inMs };
    const refused = record.refused === undefined ? '' : `; the last one was refused: ${record.refused.message}`;
    const message = `no manifest came within manifest-timeout (${seconds(manifestTimeoutMs)})${refused}`;
    return { message };
  }
  if (record.unhealthySince !== undefined && record.reason !== 'Closing') {
    const inMs = Math.max(record.unhealthySince, cluster) + unhealthyTimeoutMs - now;
    if (inMs > 0) return { inMs };
    return { message: `unhealthy for lease-unhealthy-timeout (${seconds(unhealthyTimeoutMs)}): ${tenantMessage(record)}` };
  }
  return undefined;
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
