import { type Host, HostState } from '@quartermaster/api/private';
import { conflictOf } from '../claims/source-conflict.ts';

/** What a node set needs of a host. */
export interface HostNeed {
  readonly hostClass: string;
  /** Hub of the cluster; empty while it has none. */
  readonly hub: string;
}

/**
 * Why a host cannot be given to a node set. A host counts once, for the first that applies in this order:
 * it is another class's, going away, somebody's, or not fit.
 */
export const refusalReasons = ['OTHER_CLASS', 'DELETED', 'ASSIGNED', 'IN_POOL', 'FAILED', 'OTHER_HUB', 'CONFLICT'] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** Undefined: the host is free and fit. */
export function refusalOf(host: Host, { hostClass, hub }: HostNeed): RefusalReason | undefined {
  const { spec, status, metadata } = host;
  if (spec?.class !== hostClass) return 'OTHER_CLASS';
  if (metadata?.deletionTimestamp !== undefined) return 'DELETED';
  if (status === undefined) return undefined;
  if (status.cluster !== '') return 'ASSIGNED';
  if (status.hostPool !== '') return 'IN_POOL';
  if (status.state === HostState.FAILED) return 'FAILED';
  if (status.hub !== '' && hub !== '' && status.hub !== hub) return 'OTHER_HUB';
  return conflictOf(host) === undefined ? undefined : 'CONFLICT';
}

const messages: Readonly<Record<Exclude<RefusalReason, 'OTHER_CLASS'>, string>> = {
  DELETED: 'being deleted',
  ASSIGNED: 'assigned to a cluster. Run: quartermaster release CLUSTER',
  IN_POOL: 'in a host pool and must be taken out of it first',
  FAILED: 'failed and must be repaired',
  OTHER_HUB: 'managed by another hub than the cluster',
  CONFLICT: 'disputed: claimed by more than one source',
};

/** A sentence for people about the hosts of a class that one reason keeps out. */
export function refusalMessage(reason: Exclude<RefusalReason, 'OTHER_CLASS'>, hostClass: string, hosts: number): string {
  return `${hosts} ${hosts === 1 ? 'host' : 'hosts'} of class "${hostClass}" ${hosts === 1 ? 'is' : 'are'} ${messages[reason]}`;
}
