import { celText, hostKind } from '../api/object-kind.ts';
import { useObjectCount } from '../objects/object-count.tsx';
import { useSession } from '../session/session.ts';

/** The hosts of a class. */
export const ofClass = (id: string): string => `this.spec.class == ${celText(id)}`;

export const unassigned = 'this.status.cluster == "" && this.status.host_pool == ""';

/** Those of them that could be given to a cluster now. */
export const freeOfClass = (id: string): string => `${ofClass(id)} && ${unassigned} && this.status.state != HOST_STATE_FAILED`;

/** How many hosts of a class are free now, for those who may know; undefined for others, and until it is counted. */
export function useStock(hostClass: string): number | undefined {
  const { isStaff } = useSession();
  return useObjectCount(hostKind, freeOfClass(hostClass), { isWanted: isStaff && hostClass !== '' });
}
