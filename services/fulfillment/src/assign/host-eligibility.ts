import { type Host, HostState } from '@quartermaster/api/private';
import type { RefusalReason } from '@quartermaster/api/states';
import { isDisputed } from '../identity/dispute.ts';
import { lackOf } from '../kinds/host-lack.ts';

/** What a node set needs of a host. */
export interface HostNeed {
  readonly hostClass: string;
  /** The hub that its hosts are of, if they are of any; empty: they are of none. */
  readonly hub: string;
}

/** Undefined: the host is free and fit. */
export function refusalOf(host: Host, { hostClass, hub }: HostNeed): RefusalReason | undefined {
  const { spec, status, metadata } = host;
  if (spec?.class !== hostClass) return 'OTHER_CLASS';
  if (metadata?.deletionTimestamp !== undefined) return 'DELETED';
  if ((status?.cluster ?? '') !== '') return 'ASSIGNED';
  if ((status?.hostPool ?? '') !== '') return 'IN_POOL';
  if (status?.state === HostState.FAILED) return 'FAILED';
  if (status?.state === HostState.PROGRESSING) return 'IN_PROGRESS';
  if (status !== undefined && status.hub !== '' && status.hub !== hub) return 'OTHER_HUB';
  if (isDisputed(host)) return 'CONFLICT';
  return lackOf(host) || undefined;
}

const messages: Readonly<Record<Exclude<RefusalReason, 'OTHER_CLASS'>, string>> = {
  DELETED: 'being deleted',
  ASSIGNED: 'assigned to a cluster. Run: quartermaster release CLUSTER',
  IN_POOL: 'in a host pool and must be taken out of it first',
  FAILED: 'failed and must be repaired',
  IN_PROGRESS: 'in progress: something works on the host; try again when it is done',
  OTHER_HUB: 'managed by another hub than the rest of the cluster',
  CONFLICT: 'disputed. The condition DISPUTED says by whom',
  NO_BMC: 'without the address of a management controller. Set spec.bmc.url',
  NO_BOOT_MAC: 'without the MAC address of the interface to boot from. Set spec.boot_mac',
};

/** A sentence for people about the hosts of a class that one reason keeps out. */
export function refusalMessage(reason: Exclude<RefusalReason, 'OTHER_CLASS'>, hostClass: string, hosts: number): string {
  return `${hosts} ${hosts === 1 ? 'host' : 'hosts'} of class "${hostClass}" ${hosts === 1 ? 'is' : 'are'} ${messages[reason]}`;
}
