import type { TenantLease, TenantLeaseStatus } from '@quartermaster/api/tenant-lease';
import { StatusError } from '@quartermaster/kernel';
import type { LeaseId } from '../model/lease.ts';
import { leaseNamespace } from '../model/lease-name.ts';
import { orderName } from '../reservations/order-name.ts';
import { type LeaseRecord, leaseStates, recordText } from './lease-record.ts';

export function recordObject(name: string, lease: LeaseId, namespace: string): TenantLease {
  const { owner, dseq, gseq, oseq, provider } = lease;
  return { metadata: { name }, spec: { lease: { owner, dseq: String(dseq), gseq, oseq, provider }, namespace } };
}

/** As a merge patch of the status: what is not there any more is taken out. */
export function recordPatch(record: LeaseRecord, resourceVersion: string): object {
  const status: Record<string, unknown> = { ...statusOf(record) };
  for (const [field, value] of Object.entries(status)) status[field] = value ?? null;
  return { metadata: { resourceVersion }, status };
}

function statusOf(record: LeaseRecord): TenantLeaseStatus {
  const { state, reason, message, namespaceUid, manifestHash, refused, closedReason, leftovers } = record;
  return {
    ...{ state, reason, message: recordText(message), namespaceUid, manifestHash },
    closedReason: closedReason && closedReason.slice(0, 1024),
    since: timeText(record.since),
    refused: refused && { hash: refused.hash, reason: refused.reason, message: recordText(refused.message), at: timeText(refused.at) },
    wonAt: timeText(record.wonAt),
    manifestAt: timeText(record.manifestAt),
    deployedAt: timeText(record.deployedAt),
    runningAt: timeText(record.runningAt),
    unhealthySince: timeText(record.unhealthySince),
    closingAt: timeText(record.closingAt),
    completeAt: timeText(record.completeAt),
    leftovers:
      leftovers.length === 0
        ? undefined
        : leftovers
            .slice(0, 50)
            .map(({ what, message: why, since }) => ({ what: what.slice(0, 512), message: recordText(why), since: timeText(since) })),
  };
}

/**
 * Throws `failed_precondition` of one that names no lease, or has the name or the namespace of another: what is done for a lease is done there, its end included, so that
 * whoever may write records could have any namespace deleted. One without a status is new.
 */
export function readRecord({ metadata, spec, status = {} }: TenantLease): LeaseRecord {
  const { name = '', uid = '', creationTimestamp } = metadata ?? {};
  const { owner, dseq, gseq, oseq, provider } = spec.lease;
  if (!/^\d{1,20}$/.test(dseq)) throw new StatusError('failed_precondition', `TenantLease ${name} names no lease: its dseq is no number`);
  const lease = { owner, dseq: BigInt(dseq), gseq, oseq, provider };
  checkNames(name, lease, spec.namespace);
  const { refused, leftovers = [], state, reason = '', message = '', namespaceUid, manifestHash, closedReason } = status;
  const createdAt = timeOf(creationTimestamp) ?? 0;
  return {
    ...{ name, uid, namespace: spec.namespace, reason, message, namespaceUid, manifestHash, closedReason },
    lease,
    state: leaseStates.find((each) => each === state) ?? 'Pending',
    since: timeOf(status.since) ?? createdAt,
    refused: refused && {
      hash: refused.hash,
      reason: refused.reason ?? '',
      message: refused.message,
      at: timeOf(refused.at) ?? 0,
    },
    wonAt: timeOf(status.wonAt),
    manifestAt: timeOf(status.manifestAt),
    deployedAt: timeOf(status.deployedAt),
    runningAt: timeOf(status.runningAt),
    unhealthySince: timeOf(status.unhealthySince),
    closingAt: timeOf(status.closingAt),
    completeAt: timeOf(status.completeAt),
    leftovers: leftovers.map((each) => ({ what: each.what, message: each.message, since: timeOf(each.since) ?? createdAt })),
  };
}

function checkNames(name: string, lease: LeaseId, namespace: string): void {
  const [ownName, ownNamespace] = [orderName(lease), leaseNamespace(lease)];
  const problem =
    name !== ownName
      ? `is not that of the lease in its spec, which is called ${ownName}`
      : namespace !== ownNamespace
        ? `names the namespace "${namespace}", which is not that of its lease, ${ownNamespace}`
        : undefined;
  if (problem !== undefined)
    throw new StatusError('failed_precondition', `TenantLease ${name} ${problem}: delete it, and it is created again`);
}

const timeText = (time: number | undefined): string | undefined => (time === undefined ? undefined : new Date(time).toISOString());

function timeOf(text: string | undefined): number | undefined {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
