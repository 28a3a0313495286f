import type { OrderId } from '../model/order.ts';
import type { Price } from '../model/price.ts';
import type { Reason } from '../placement/stock-facts.ts';

export const decisionPhases = ['Declined', 'Reserved', 'Bid', 'Won', 'Lost', 'Expired', 'Closed'] as const;
export type DecisionPhase = (typeof decisionPhases)[number];

/** What became of an order, and why, for those who ask. Nothing is decided by it that the market or a reservation could say. */
export interface BidDecision {
  /** As that of its reservation. */
  readonly name: string;
  readonly order: OrderId;
  readonly phase: DecisionPhase;
  readonly reasons: readonly Reason[];
  readonly price?: Price | undefined;
  /** Resource -> its part of the price. */
  readonly priceParts?: ReadonlyMap<string, string> | undefined;
  /** Wall clocks, milliseconds. */
  readonly changedAt: number;
  readonly orderedAt?: number | undefined;
  readonly reservedAt?: number | undefined;
  readonly bidAt?: number | undefined;
  readonly wonAt?: number | undefined;
  readonly endedAt?: number | undefined;
}

/** The reasons where the market does not know the order or the lease that there was, which ends nothing. */
export const [orderUnknown, leaseUnknown] = ['OrderUnknown', 'LeaseUnknown'] as const;

const ended: ReadonlySet<DecisionPhase> = new Set(['Declined', 'Lost', 'Expired', 'Closed']);
const final: ReadonlySet<DecisionPhase> = new Set(['Lost', 'Expired', 'Closed']);

/** Nothing of ours is at stake. */
export const hasEnded = ({ phase }: Pick<BidDecision, 'phase'>): boolean => ended.has(phase);
/** There is no way back: a declined order may still be bid on while it is open. */
export const isFinal = ({ phase }: Pick<BidDecision, 'phase'>): boolean => final.has(phase);

/** What is so now, as far as it is known. */
export interface DecisionFacts extends Pick<BidDecision, 'name' | 'order' | 'reasons' | 'price' | 'priceParts'> {
  /** As it is, unless given: something is at stake then, and what was declined is not so any more. */
  readonly phase?: DecisionPhase | undefined;
  readonly orderedAt?: number | undefined;
  readonly reservedAt?: number | undefined;
}

/** The record after it; the very same one where it says all of that already. */
export function decisionAfter(before: BidDecision | undefined, facts: DecisionFacts, now: number): BidDecision {
  const phase = facts.phase ?? (before === undefined || before.phase === 'Declined' ? 'Reserved' : before.phase);
  const isNew = before?.phase !== phase;
  const after: BidDecision = {
    name: facts.name,
    order: facts.order,
    phase,
    reasons: facts.reasons.slice(0, maxReasons).map(({ code, message }) => ({ code, message: message.slice(0, maxMessage) })),
    price: facts.price ?? before?.price,
    priceParts: facts.priceParts ?? before?.priceParts,
    changedAt: isNew ? now : before.changedAt,
    orderedAt: facts.orderedAt ?? before?.orderedAt,
    reservedAt: facts.reservedAt ?? before?.reservedAt,
    bidAt: before?.bidAt ?? (phase === 'Bid' ? now : undefined),
    wonAt: before?.wonAt ?? (phase === 'Won' ? now : undefined),
    endedAt: hasEnded({ phase }) ? (isNew ? now : before.endedAt) : undefined,
  };
  return before !== undefined && isSame(before, after) ? before : after;
}

const maxReasons = 20;
const maxMessage = 2048;

/** Messages may tell of amounts that change all the time: other reasons are worth a record, other figures are not. What is declined again with less said of it is no news. */
function isSame(a: BidDecision, b: BidDecision): boolean {
  const codes = ({ reasons }: BidDecision): string => reasons.map(({ code }) => `${code} `).join('');
  const isSaid = codes(a) === codes(b) || (b.phase === 'Declined' && b.reasons.length > 0 && codes(a).startsWith(codes(b)));
  return a.phase === b.phase && isSaid && a.price?.amount === b.price?.amount && a.reservedAt === b.reservedAt;
}
