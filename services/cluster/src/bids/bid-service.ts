import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type BidDecisionSchema,
  BidPhase,
  BidService,
  type GetBidStatusResponseSchema,
  type ListBidDecisionsRequest,
} from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import { type ServedService, serve } from '@quartermaster/rpc';
import * as z from 'zod';
import { formatDecimal, parseDecimal } from '../model/decimal.ts';
import { orderName } from '../reservations/order-name.ts';
import { momentMessage } from '../serve/moment-message.ts';
import { type PageOrder, pageOf } from '../serve/page-of.ts';
import { orderMessage, orderOf } from '../serve/request-message.ts';
import { type BidDecision, type DecisionPhase, decisionPhases } from './bid-decision.ts';
import type { DecisionStore } from './decision-store.ts';
import type { MarketViewStatus } from './market-view.ts';

export interface BidServiceOptions {
  readonly decisions: Pick<DecisionStore, 'of' | 'all' | 'unwritten' | 'problem'>;
  readonly isConfigured: boolean;
  /** While this replica leads. */
  readonly market: () => MarketViewStatus | undefined;
}

const phases = {
  Declined: BidPhase.DECLINED,
  Reserved: BidPhase.RESERVED,
  Bid: BidPhase.BID,
  Won: BidPhase.WON,
  Lost: BidPhase.LOST,
  Expired: BidPhase.EXPIRED,
  Closed: BidPhase.CLOSED,
} as const satisfies Record<DecisionPhase, BidPhase>;

export function bidService({ decisions, isConfigured, market }: BidServiceOptions): ServedService {
  return serve(BidService, {
    getBidDecision: ({ order: wanted }) => {
      const order = orderOf(wanted);
      const found = decisions.of(orderName(order));
      if (found === undefined) {
        const message = `nothing is known of a bid for the order ${orderText(order)}: it was not seen, or was forgotten after bid-decision-retention`;
        throw new StatusError('not_found', message);
      }
      return { decision: decisionMessage(found) };
    },
    listBidDecisions: (request) => pageOfDecisions(request, decisions.all()),
    getBidStatus: () => ({ ...totalsOf(decisions.all()), ...aboutMarket(market()), configured: isConfigured, ...aboutRecords(decisions) }),
  });
}

function decisionMessage(decision: BidDecision): MessageInitShape<typeof BidDecisionSchema> {
  const { order, phase, reasons, price, priceParts } = decision;
  return {
    order: orderMessage(order),
    phase: phases[phase],
    reasons: reasons.map(({ code, message }) => ({ code, message })),
    price: price && { denom: price.denom, amount: price.amount },
    priceParts: Object.fromEntries(priceParts ?? []),
    changedAt: momentMessage(decision.changedAt),
    orderedAt: momentMessage(decision.orderedAt),
    reservedAt: momentMessage(decision.reservedAt),
    bidAt: momentMessage(decision.bidAt),
    wonAt: momentMessage(decision.wonAt),
    endedAt: momentMessage(decision.endedAt),
  };
}

/** The newest first. What changes meanwhile comes to the first page. */
const byChange: PageOrder<BidDecision, readonly [number, string]> = {
  placeOf: ({ changedAt, name }) => [changedAt, name],
  compare: ([at, name], [otherAt, other]) => otherAt - at || (name < other ? -1 : name > other ? 1 : 0),
  form: z.tuple([z.number(), z.string()]),
};

export function pageOfDecisions(request: Omit<ListBidDecisionsRequest, '$typeName' | '$unknown'>, all: readonly BidDecision[]) {
  const { owner, phase, reason } = request;
  const matching = all.filter(
    (decision) =>
      (owner === '' || decision.order.owner === owner) &&
      (phase === BidPhase.UNSPECIFIED || phases[decision.phase] === phase) &&
      (reason === '' || decision.reasons.some(({ code }) => code === reason)),
  );
  const { items, nextPageToken } = pageOf(request, matching, byChange);
  return { decisions: items.map(decisionMessage), nextPageToken };
}

/** Exact sums of what the leases are paid. */
export function totalsOf(all: readonly BidDecision[]): Pick<MessageInitShape<typeof GetBidStatusResponseSchema>, 'decisions' | 'revenue'> {
  const won = all.filter(({ phase, price }) => phase === 'Won' && price !== undefined);
  const revenue = [...Map.groupBy(won, ({ price }) => price?.denom ?? '')].map(([denom, leases]) => {
    const parts = new Map<string, bigint>();
    for (const { priceParts = [] } of leases)
      for (const [resource, part] of priceParts) parts.set(resource, (parts.get(resource) ?? 0n) + (parseDecimal(part) ?? 0n));
    const amount = leases.reduce((sum, { price }) => sum + (parseDecimal(price?.amount ?? '') ?? 0n), 0n);
    const told = Object.fromEntries([...parts].map(([resource, part]) => [resource, formatDecimal(part)]));
    return { denom, amount: formatDecimal(amount), leases: BigInt(leases.length), parts: told };
  });
  const counts = decisionPhases.map((phase) => ({
    phase: phases[phase],
    count: BigInt(all.filter((each) => each.phase === phase).length),
  }));
  return { decisions: counts.filter(({ count }) => count > 0n), revenue };
}

function aboutMarket(status: MarketViewStatus | undefined): Pick<MessageInitShape<typeof GetBidStatusResponseSchema>, 'market'> {
  if (status === undefined) return {};
  const { readAt, problem, openOrders, openBids, leases, unreadable } = status;
  return {
    market: {
      readAt: momentMessage(readAt),
      problem: problem && { code: problem.code, message: problem.message },
      ...{ openOrders: BigInt(openOrders), openBids: BigInt(openBids), leases: BigInt(leases), unreadableOrders: BigInt(unreadable) },
    },
  };
}

const aboutRecords = (decisions: BidServiceOptions['decisions']) => ({
  unrecorded: BigInt(decisions.unwritten),
  problem: decisions.problem() ?? '',
});
