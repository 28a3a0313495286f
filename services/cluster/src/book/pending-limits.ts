import { amountText, unequalTexts, withWhat } from '@quartermaster/api/states';
import type { Plan } from '../placement/plan.ts';
import type { Reason } from '../placement/stock-facts.ts';
import type { PendingTally } from './pending-tally.ts';

/** How much may be promised to those who have no lease yet, and may never have one. */
export interface PendingLimits {
  /** Reservations of all owners together: `cluster-pending-max`. */
  readonly most: number;
  /** Reservations of one owner: `cluster-pending-per-owner`. */
  readonly perOwner: number;
  /** What one owner's may be of each resource, above 0 and at most 1: `cluster-pending-owner-share`. */
  readonly ownerShare: number;
  /** And those of all together: `cluster-pending-share`. */
  readonly share: number;
}

/**
 * A reservation stops counting as soon as there is a lease, so that one buyer can have the whole cluster, half of it at a time. An owner who bids for more orders
 * at once than ten has to win some first. The last tenth stays out of reach of pending ones, however many names one squatter has, so that those that stand can
 * be planned anew when a node is lost. Nor do many of nearly nothing fill what keeps them.
 */
export const defaultPendingLimits: PendingLimits = { most: 1000, perOwner: 10, ownerShare: 0.5, share: 0.9 };

/** What the cluster has of a resource, and what the node that has most of it has. Undefined: not known, and then not bounded. */
export type CapacityOf = (resource: string) => Capacity | undefined;

export interface Capacity {
  readonly total: number;
  readonly largestNode: number;
  /** What else is taken with it, and what that is. One that is more than a share of it by itself is not held to that: it would never be accepted, or wait as long as any other is pending. */
  readonly together?: { readonly total: number; readonly of: string } | undefined;
}

/** Of whom nobody says who it is: bounded like any owner, with nothing pending yet. */
const anyOwner = 'an owner';

/** Can be said before anything is placed. */
export function countReason(tally: PendingTally, { most, perOwner }: PendingLimits, owner: string | undefined): Reason | undefined {
  if (tally.count >= most) {
    const message = `${tally.count} reservations are pending; cluster-pending-max allows ${most}: wait until some become active or expire`;
    return { code: 'TooManyPending', message };
  }
  const count = owner === undefined ? 0 : tally.countOf(owner);
  if (count < perOwner) return undefined;
  const message = `${owner ?? anyOwner} has ${count} pending reservations; cluster-pending-per-owner allows ${perOwner}: give some back, or wait until they expire`;
  return { code: 'TooManyPending', message };
}

/** Every resource of which too much would be pending with this plan. */
export function shareReasons(
  tally: PendingTally,
  { ownerShare, share }: PendingLimits,
  capacityOf: CapacityOf,
  plan: Plan,
  owner: string | undefined,
): readonly Reason[] {
  const reasons: Reason[] = [];
  for (const { resource, amount } of tally.promisedBy(plan)) {
    const capacity = capacityOf(resource);
    if (capacity === undefined) continue;
    const check = (whose: string, pending: number, part: number, setting: string): void => {
      const { most, total, of } = boundOf(capacity, part, pending, amount);
      if (pending + amount <= most) return;
      const [allowed, asked] = unequalTexts(resource, most, pending + amount);
      const all = amountText(resource, total);
      const message = `${whose} would have ${withWhat(resource, asked)} pending; ${setting} allows ${allowed} of the ${all} ${of}`;
      reasons.push({ code: 'TooMuchPending', message });
    };
    check(owner ?? anyOwner, owner === undefined ? 0 : tally.amount(resource, owner), ownerShare, 'cluster-pending-owner-share');
    check('all owners together', tally.amount(resource), share, 'cluster-pending-share');
  }
  return reasons;
}

/** Never less than the largest node has, or one piece: a cluster of one machine can sell that machine. */
function boundOf({ total, largestNode, together }: Capacity, part: number, pending: number, amount: number) {
  const all = { most: Math.max(Math.ceil(total * part), largestNode, 1), total, of: 'in all' };
  if (together === undefined) return all;
  const shared = { ...together, most: Math.max(Math.ceil(together.total * part), 1) };
  // One at a time: what is pending beside it keeps to the share.
  if (amount > shared.most && pending <= shared.most) return all;
  return shared.most < all.most ? { ...shared, of: `${shared.of}: wait until some become active or expire` } : all;
}
