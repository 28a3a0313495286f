import type { KnownOrder, MarketBid, MarketLease, MarketOrder } from '../market/market.ts';
import type { Price } from '../model/price.ts';
import type { Reservation } from '../model/reservation.ts';
import type { Reason } from '../placement/stock-facts.ts';
import { type BidDecision, type DecisionPhase, hasEnded, isFinal, leaseUnknown, orderUnknown } from './bid-decision.ts';

/*
 * The way of one order, from what is so to what is done about it. The market and the reservation say what is so; the decision is a record of it.
 *
 *   phase     | what is so                                        | what is done
 *   ----------|---------------------------------------------------|------------------------------------------------------------
 *   (none)    | the order is open                                 | consider: does it concern us, does it fit, what does it cost
 *   Declined  | no bid, for the reasons                           | consider it again, less and less often, while it is open
 *   Reserved  | a reservation for a bid, no bid known             | bid, with the price of the reservation
 *   Bid       | the bid is open                                   | wait; close the bid when bid-timeout is over
 *   Won       | there is a lease                                  | activate the reservation; without one, reserve or close the lease
 *   Lost      | another bid was taken, or the order is closed     | release the reservation
 *   Expired   | the bid is closed before anybody took it          | release the reservation
 *   Closed    | the lease is closed                               | release the reservation once nothing of it runs; the market may take it back until its end is let through
 *
 * A reservation that was made for a bid is released when something has ended for good, and by nothing else: not by time, not by silence, not by an order that the market
 * does not know. Before time ends a bid, the market is asked to close it: it may have become a lease meanwhile.
 */

/** What the market is known to say of an order. */
export interface SeenOrder {
  /** `unknown` where no list has it, and where the market was asked for it and does not know it. */
  readonly state: KnownOrder['state'] | 'unknown';
  readonly order?: MarketOrder | undefined;
  readonly bid?: MarketBid | undefined;
  readonly lease?: MarketLease | undefined;
  /** The market was made sure never to make a lease of it, though there was no bid. */
  readonly withdrawn?: Reason | undefined;
  /** The market was asked for this very order since the lists were read, and since it last answered a request for it. */
  readonly isAsked: boolean;
}

export interface Situation {
  readonly seen: SeenOrder;
  readonly reservation?: Pick<Reservation, 'uid' | 'phase' | 'isConfirmed' | 'bid' | 'createdAt'> | undefined;
  readonly decision?: BidDecision | undefined;
  /** The market has refused the bid. */
  readonly refused?: Reason | undefined;
  /** Wall clock by which the reservation was made, milliseconds. */
  readonly now: number;
  readonly bidTimeoutMs: number;
  /** Something of its lease runs, or may run: nothing of it is given back before that is certainly gone. */
  readonly runs?: boolean | undefined;
  /** Its lease has not ended here, for certain. */
  readonly lasts?: boolean | undefined;
}

export type Step =
  /** Nothing, until something changes or the time is over. `says` is what the record has to say; undefined: what it says. */
  | { readonly kind: 'rest'; readonly says?: Said | undefined; readonly forMs?: number | undefined }
  | { readonly kind: 'look-up' }
  | { readonly kind: 'consider'; readonly order: MarketOrder }
  | { readonly kind: 'bid'; readonly price: Price }
  /** For a bid or a lease that lost its reservation; `orElse` is what happens to it when there is no room. */
  | { readonly kind: 'reserve'; readonly order: MarketOrder; readonly price: Price; readonly orElse: 'close-bid' | 'close-lease' }
  | { readonly kind: 'activate' }
  | { readonly kind: 'close-bid'; readonly reason: Reason }
  | { readonly kind: 'release'; readonly uid: string };

interface Said {
  /** Undefined: as it is. */
  readonly phase?: DecisionPhase | undefined;
  readonly reasons: readonly Reason[];
}

const whileBusyMs = 200;
const soonMs = 1_000;

export function nextStep(situation: Situation): Step {
  const { seen, reservation, decision, refused } = situation;
  const { lease, bid } = seen;
  if (reservation !== undefined && !reservation.isConfirmed) return { kind: 'rest', forMs: whileBusyMs };
  // One that somebody made by hand is theirs to give back.
  const ours = reservation?.bid === undefined ? undefined : reservation;
  if (lease?.state === 'closed') {
    if (ours !== undefined && situation.runs !== true) return { kind: 'release', uid: ours.uid };
    return rest('Closed', { code: 'LeaseClosed', message: lease.reason ?? 'the lease is closed' });
  }
  if (lease !== undefined) return ofLease(situation, lease);
  if (bid?.state === 'won') return seen.isAsked ? { kind: 'rest', forMs: soonMs } : { kind: 'look-up' };
  if (ours?.phase === 'active') {
    const message =
      'the order had a lease, which the market does not know: its reservation is kept until the market says that the lease is closed';
    return seen.isAsked ? say({ code: leaseUnknown, message }) : { kind: 'look-up' };
  }
  // It may have been a lease, which was closed before anybody saw it: the order as a whole tells.
  if (bid?.state === 'closed' && !seen.isAsked) return { kind: 'look-up' };
  const end = endOf(seen);
  if (end !== undefined) {
    if (ours !== undefined && situation.runs !== true) return { kind: 'release', uid: ours.uid };
    const isOurs = bid !== undefined || seen.withdrawn !== undefined || refused !== undefined;
    const isRecord = isOurs || (decision !== undefined && !hasEnded(decision));
    return isRecord && !(decision !== undefined && isFinal(decision)) ? rest(end.phase, end.reason) : { kind: 'rest' };
  }
  if (bid !== undefined) return ofOpenBid(situation, bid);
  if (ours?.bid !== undefined) {
    if (seen.state === 'unknown') {
      const message = 'the market does not know the order, which does not mean that it is closed: its reservation is kept';
      return seen.isAsked ? say({ code: orderUnknown, message }) : { kind: 'look-up' };
    }
    if (refused !== undefined) return { kind: 'close-bid', reason: refused };
    return dueInMs(situation) <= 0 ? { kind: 'close-bid', reason: timedOut(situation) } : { kind: 'bid', price: ours.bid };
  }
  if (seen.state !== 'open' || seen.order === undefined) {
    const isAtStake = decision !== undefined && !hasEnded(decision);
    return isAtStake && !seen.isAsked ? { kind: 'look-up' } : { kind: 'rest' };
  }
  if (decision !== undefined && (isFinal(decision) || decision.reasons.some(({ code }) => code === 'BidRefused'))) return { kind: 'rest' };
  if (reservation !== undefined) {
    const message = 'the order has a manual reservation: unreserve it to have a bid made';
    return rest('Declined', { code: 'ReservedByHand', message });
  }
  return { kind: 'consider', order: seen.order };
}

function ofLease({ seen, reservation, decision, lasts }: Situation, lease: MarketLease): Step {
  // An old answer: closed is for good. But until its end was let through, the market may take back what it said.
  if (decision?.phase === 'Closed' && lasts !== true) return { kind: 'rest' };
  if (reservation === undefined) {
    if (seen.order !== undefined) return { kind: 'reserve', order: seen.order, price: lease.price, orElse: 'close-lease' };
    const message = 'there is a lease without a reservation, and the market does not say what was ordered';
    return seen.isAsked ? say({ code: orderUnknown, message }) : { kind: 'look-up' };
  }
  return reservation.phase === 'pending' ? { kind: 'activate' } : { kind: 'rest', says: { phase: 'Won', reasons: [] } };
}

function ofOpenBid(situation: Situation, bid: MarketBid): Step {
  const { seen, reservation } = situation;
  if (reservation === undefined) {
    if (seen.order !== undefined) return { kind: 'reserve', order: seen.order, price: bid.price, orElse: 'close-bid' };
    return seen.isAsked
      ? { kind: 'close-bid', reason: { code: 'ReservationGone', message: 'the reservation for the bid no longer exists' } }
      : { kind: 'look-up' };
  }
  const forMs = dueInMs(situation);
  if (forMs <= 0) return { kind: 'close-bid', reason: timedOut(situation) };
  return { kind: 'rest', says: { phase: 'Bid', reasons: [] }, forMs };
}

/** Why the bid cannot win, for good; undefined while it can, or while nobody knows. */
function endOf({ state, bid, withdrawn, isAsked }: SeenOrder): { readonly phase: DecisionPhase; readonly reason: Reason } | undefined {
  if (bid?.state === 'lost') return { phase: 'Lost', reason: { code: 'BidLost', message: bid.reason ?? 'another bid was taken' } };
  if (bid?.state === 'closed') return { phase: 'Expired', reason: { code: 'BidClosed', message: bid.reason ?? 'the bid is closed' } };
  if (withdrawn !== undefined) return { phase: withdrawn.code === 'BidRefused' ? 'Declined' : 'Expired', reason: withdrawn };
  if (state === 'closed') return { phase: 'Lost', reason: { code: 'OrderClosed', message: 'the order is closed' } };
  // The market was asked for all that is ours of it: the lease is somebody else's, and an order has one at most.
  if (state === 'active' && isAsked) return { phase: 'Lost', reason: { code: 'BidLost', message: 'another bid was taken' } };
  return undefined;
}

const dueInMs = ({ reservation, now, bidTimeoutMs }: Situation): number => (reservation?.createdAt ?? now) + bidTimeoutMs - now;

const timedOut = ({ seen: { bid }, bidTimeoutMs }: Situation): Reason => ({
  code: 'BidTimeout',
  message: `${bid === undefined ? 'the market did not confirm the bid' : 'the bid was not accepted'} within bid-timeout (${Math.round(bidTimeoutMs / 1000)} s)`,
});

const rest = (phase: DecisionPhase, reason: Reason): Step => ({ kind: 'rest', says: { phase, reasons: [reason] } });
const say = (reason: Reason): Step => ({ kind: 'rest', says: { reasons: [reason] } });
