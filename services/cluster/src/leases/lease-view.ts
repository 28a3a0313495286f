import { addressNotes } from '../addresses/address-notes.ts';
import { type BidDecision, leaseUnknown, orderUnknown } from '../bids/bid-decision.ts';
import type { SeenOrder } from '../bids/next-step.ts';
import type { LeaseHealthReport } from '../health/lease-health.ts';
import type { HostnameGrant } from '../hostnames/hostname-book.ts';
import { wantedHostnames } from '../hostnames/wanted-hostnames.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { LeaseSight, LeaseSights, Stranger } from '../known-leases/lease-sight.ts';
import type { LeasePod } from '../model/inventory-change.ts';
import { orderName } from '../reservations/order-name.ts';
import type { LeaseKnowledge, LeaseSettings } from './lease-context.ts';
import { deadlineOf } from './lease-deadline.ts';
import { advance, type CountedFrom } from './lease-transitions.ts';
import { isOurs } from './own-namespace.ts';
import { healthEvent, healthOf } from './seen-health.ts';

export interface LeaseViewOptions extends LeaseKnowledge {
  readonly settings: LeaseSettings;
  readonly decisions: { of(name: string): BidDecision | undefined };
  /** What the market says, on the leader; undefined elsewhere. */
  readonly marketOf: (name: string) => SeenOrder | undefined;
  /** Pods of a lease, as the inventory counts them. */
  readonly podsOf: (name: string) => readonly LeasePod[];
  /** Since when deadlines count, on the leader; undefined elsewhere. */
  readonly countedFrom: () => CountedFrom | undefined;
  readonly now: () => number;
}

/** What a replica can say of leases, from its caches. */
export function leaseView(options: LeaseViewOptions): LeaseSights {
  const { records, manifests, caches, namespaces, nodes } = options;
  return {
    of: (name) => {
      const record = records.of(name);
      return record && sightOf(options, record);
    },
    all: () =>
      records
        .all()
        .map((record) => sightOf(options, record))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    strangers: () => strangersIn({ records, manifests, namespaces }),
    stale: () => [
      ...caches.stale(),
      ...manifests.stale(),
      ...namespaces.stale(),
      ...nodes.stale(),
      ...(records.problem() === undefined ? [] : ['tenantleases']),
    ],
  };
}

function sightOf(options: LeaseViewOptions, recorded: LeaseRecord): LeaseSight {
  const { manifests, caches, namespaces, book, decisions, marketOf, podsOf, settings, countedFrom, now } = options;
  const { name, lease, namespace } = recorded;
  const seen = namespaces.get(namespace);
  const isOwn = seen !== undefined && seen.live.uid === recorded.namespaceUid;
  const manifest = recorded.state === 'Complete' ? undefined : manifests.shown(namespace);
  const health = manifest === undefined || !isOwn ? undefined : healthOf(options, recorded, manifest, now());
  const record = asSeen(recorded, health, now());
  const from = countedFrom();
  const due = from && deadlineOf(record, marketOf(name)?.lease, settings.deadlines, now(), from);
  return {
    ...{ name, lease, record, manifest, health },
    decision: decisions.of(name),
    reservation: book.reservation(name),
    namespace: isOwn ? { name: namespace, uid: seen.live.uid } : undefined,
    market: marketState(marketOf(name), record, decisions.of(name)),
    pods: isOwn ? caches.podsIn(namespace) : [],
    claims: isOwn ? caches.claimsIn(namespace) : [],
    ports: isOwn ? caches.portsIn(namespace) : [],
    addressNotes: manifest === undefined || !isOwn ? [] : addressNotes(options, record, manifest.group),
    hostnames: manifest === undefined ? [] : grantsOf(options, record, manifest.group),
    devices: new Map(isOwn ? podsOf(name).map(({ uid, devices }) => [uid, devices]) : []),
    closesAt: due !== undefined && 'inMs' in due && Number.isFinite(due.inMs) ? now() + due.inMs : undefined,
  };
}

/** What the leader will record at its next look: until then, state and health would contradict each other. What is in the way of a lease only its looks can tell. */
function asSeen(record: LeaseRecord, health: LeaseHealthReport | undefined, now: number): LeaseRecord {
  const { state, reason, deployedAt } = record;
  if (health === undefined || state !== 'Active' || reason === 'Closing' || deployedAt === undefined) return record;
  const event = healthEvent(health);
  // What its objects wait for says more.
  return event.kind === 'starting' && reason === 'Deploying' ? record : advance(record, event, now);
}

function grantsOf(
  { hostnames, settings }: LeaseViewOptions,
  { lease }: LeaseRecord,
  group: Parameters<typeof wantedHostnames>[1],
): readonly HostnameGrant[] {
  return hostnames.check(lease, wantedHostnames(lease, group, settings.terms));
}

/** Only the leader reads the market (`seen`). What it heard is on record: what ends something with the lease, the rest with what was decided of its order. */
function marketState(
  seen: SeenOrder | undefined,
  record: LeaseRecord,
  decision: Pick<BidDecision, 'phase' | 'reasons'> | undefined,
): LeaseSight['market'] {
  const hasEnded = record.closingAt !== undefined || record.state === 'Complete';
  // It may have taken that back.
  if (hasEnded && seen?.lease?.state !== 'active') return { state: 'closed', reason: record.closedReason };
  if (seen?.lease !== undefined) return { state: seen.lease.state, reason: seen.lease.reason };
  if (seen !== undefined || decision === undefined) return { state: 'unknown' };
  if (record.reason === 'Closing' || decision.phase === 'Closed') return { state: 'closed' };
  const isKnown = decision.phase === 'Won' && decision.reasons.every(({ code }) => code !== orderUnknown && code !== leaseUnknown);
  return { state: isKnown ? 'active' : 'unknown' };
}

/** Namespaces that look like a lease's, and that nobody may touch. */
function strangersIn({
  records,
  manifests,
  namespaces,
}: Pick<LeaseKnowledge, 'records' | 'manifests' | 'namespaces'>): readonly Stranger[] {
  const known = new Set(records.all().flatMap(({ namespaceUid }) => namespaceUid ?? []));
  return namespaces.all().flatMap((seen): Stranger[] => {
    const { live, lease } = seen;
    const { name: namespace, uid } = live;
    const record = typeof lease === 'object' ? records.of(orderName(lease)) : undefined;
    const isKnown = known.has(uid) || isOurs(seen, record, manifests.saltOf(namespace));
    if (lease === 'tampered')
      return [
        {
          namespace,
          code: 'LabelsTampered',
          message: `the labels and the annotations of namespace ${namespace} name different leases: it is ignored`,
        },
      ];
    if (isKnown) return [];
    if (lease === undefined)
      return [
        {
          namespace,
          code: 'NotOurs',
          message: `namespace ${namespace} is named like that of a lease, but lacks the labels of one: it is ignored`,
        },
      ];
    const message = `namespace ${namespace} has the labels of lease ${orderName(lease)}, but is not recorded as its namespace: it is ignored`;
    return [{ namespace, code: 'NotRecorded', message }];
  });
}
