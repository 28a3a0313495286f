import { celText } from '../../filter/cel-text.ts';
import { hostKind } from '../api/object-kind.ts';
import { useObjectCount } from '../objects/object-count.tsx';
import { useSession } from '../session/session.ts';

/** The hosts of a class. */
export const ofClass = (id: string): string => `this.spec.class == ${celText(id)}`;

const unassigned = 'this.status.cluster == "" && this.status.host_pool == ""';
const isDeleted = 'has(this.metadata.deletion_timestamp)';
// Somebody else claims it: the service gives it to nobody.
const isDisputed = 'this.status.conditions.exists(c, c.type == HOST_CONDITION_TYPE_DISPUTED && c.status == CONDITION_STATUS_TRUE)';
// It cannot be provisioned.
const isIncomplete = '!has(this.spec.bmc) || this.spec.bmc.url == "" || this.spec.boot_mac == ""';
const isInProgress = 'this.status.state == HOST_STATE_PROGRESSING';
const isWithheld = `${isDeleted} || ${isDisputed} || ${isInProgress} || ${isIncomplete}`;
const failed = 'this.status.state == HOST_STATE_FAILED';

/** Those of them that could be given to a cluster now. */
export const freeOfClass = (id: string): string => `${ofClass(id)} && ${unassigned} && !(${failed}) && !(${isWithheld})`;

/** What became of the hosts of a class: each host is in one of them. */
export const classParts = {
  used: (id: string): string => `${ofClass(id)} && this.status.cluster != ""`,
  pooled: (id: string): string => `${ofClass(id)} && this.status.cluster == "" && this.status.host_pool != ""`,
  free: freeOfClass,
  withheld: (id: string): string => `${ofClass(id)} && ${unassigned} && !(${failed}) && (${isWithheld})`,
  failed: (id: string): string => `${ofClass(id)} && ${unassigned} && ${failed}`,
} as const;

/** How many hosts of a class are free now, for those who may know; undefined for others, and until it is counted. */
export function useStock(hostClass: string): number | undefined {
  const { isStaff } = useSession();
  return useObjectCount(hostKind, freeOfClass(hostClass), { isWanted: isStaff && hostClass !== '' });
}
