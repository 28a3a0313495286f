import type { LeaseId } from '../model/lease.ts';
import { orderName } from '../reservations/order-name.ts';
import { claimName } from './claim.ts';
import { type Answer, beyondLimit } from './claim-rules.ts';
import type { ClaimView } from './claim-view.ts';
import type { WantedHostname } from './hostname-book.ts';
import type { HostnameRules } from './hostname-rules.ts';
import { type HostnameRefusal, isRefusal, normalHostname } from './normal-hostname.ts';

export interface JudgedHostname {
  /** With the hostname in A-labels and lower case, where it is one. */
  readonly wanted: WantedHostname;
  /** Why no lease may have it, or not for this service. */
  readonly refusal?: Answer | undefined;
}

export interface JudgedBy {
  readonly rules: HostnameRules;
  /** hostnames-per-owner */
  readonly namesPerOwner: number;
  readonly view: Pick<ClaimView, 'get' | 'isHeld' | 'countOf'>;
}

/**
 * By what the names are, and by how many their owner has. What the lease holds already stays its own: neither a setting nor a new list of public suffixes takes it out of a
 * running lease.
 */
export function judgeWanted(
  lease: LeaseId,
  wanted: readonly WantedHostname[],
  { rules, namesPerOwner, view }: JudgedBy,
): readonly JudgedHostname[] {
  const first = new Map<string, WantedHostname>(); // hostname -> who wants it first
  const added = new Set<string>(); // hostnames that its owner does not have yet
  return wanted.map((each): JudgedHostname => {
    const normal = normalHostname(each.hostname);
    if (isRefusal(normal)) return { wanted: each, refusal: refused(normal) };
    const { name: hostname } = normal;
    const named = { ...each, hostname };
    const judged = view.isHeld(hostname, orderName(lease)) ? normal : rules(lease, each);
    if (isRefusal(judged)) return { wanted: named, refusal: refused(judged) };
    const other = first.get(hostname) ?? each;
    first.set(hostname, other);
    if (other.service !== each.service || other.externalPort !== each.externalPort) {
      const message = `"${hostname}" is named twice, by services ${other.service} and ${each.service}: a hostname leads to one port of one service`;
      return { wanted: named, refusal: { state: 'refused', code: 'HostnameRepeated', message } };
    }
    if (!each.isStatic && view.get(claimName(hostname))?.owner !== lease.owner) added.add(hostname);
    const isBeyond = added.has(hostname) && view.countOf(lease.owner) + added.size > namesPerOwner;
    return isBeyond ? { wanted: named, refusal: beyondLimit(hostname, namesPerOwner) } : { wanted: named };
  });
}

const refused = ({ code, message }: HostnameRefusal): Answer => ({ state: 'refused', code, message });
