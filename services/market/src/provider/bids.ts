import type { OrderId } from '@quartermaster/api/cluster';
import {
  type Bid,
  type BidSpec,
  BidState,
  DeploymentState,
  type Lease,
  LeaseEnd,
  LeaseState,
  type Order,
  OrderState,
} from '@quartermaster/api/market';
import { invalidFields, StatusError } from '@quartermaster/kernel';
import { type Call, notFound } from '@quartermaster/objects';
import {
  bidIdOf,
  compareAmounts,
  deploymentIdOf,
  isSamePrice,
  newBid,
  offerViolations,
  orderIdOf,
  priceText,
  unitViolations,
  withBidCounted,
  withBidState,
} from '../rules/index.ts';
import { endLease } from '../trade/end-lease.ts';
import { type Trade, type TradeOptions, trade } from '../trade/trade.ts';

const maxBids = 100;

type Offer = Pick<BidSpec, 'price' | 'offer'>;

/** What the order and the provider have, as of now. */
interface Known {
  readonly order: Order | undefined;
  readonly bid: Bid | undefined;
}

async function readKnown({ tx, kinds }: Trade, order: OrderId, provider: string): Promise<Known> {
  const [stored, bid] = await Promise.all([
    kinds.orders.store.get(tx, orderIdOf(order)),
    kinds.bids.store.get(tx, bidIdOf(order, provider)),
  ]);
  return stored?.spec?.order?.owner === order.owner ? { order: stored, bid } : { order: undefined, bid: undefined };
}

/** A bid of the provider on the order; the one that there is already, if it asks the same or was closed before it was made. */
export async function createBid(options: TradeOptions, call: Call, provider: string, order: OrderId, offer: Offer): Promise<Bid> {
  const violations = offerViolations(offer);
  if (violations.length > 0) throw invalidFields(violations);
  return await trade(options, call, deploymentIdOf(order), async (open) => {
    const known = await readKnown(open, order, provider);
    if (known.order === undefined) throw notFound(open.kinds.orders, orderIdOf(order));
    if (known.bid !== undefined) return sameBid(known.bid, offer);
    checkOrder(known.order, offer);
    open.update(open.kinds.orders, known.order, withBidCounted(known.order));
    const making = { owner: order.owner, by: open.by, at: open.at };
    return open.create(open.kinds.bids, newBid(order, provider, offer, making));
  });
}

function sameBid(bid: Bid, { price }: Offer): Bid {
  if (bid.spec?.price === undefined || isSamePrice(bid.spec.price, price)) return bid;
  throw new StatusError(
    'already_exists',
    `there is a bid "${bid.id}" of ${priceText(bid.spec.price)} already, and a provider has one for each order`,
  );
}

function checkOrder(order: Order, offer: Offer): void {
  const { state, bids = 0 } = order.status ?? {};
  if (state !== OrderState.OPEN) {
    const what = state === OrderState.ACTIVE ? 'has its lease' : 'is closed';
    throw new StatusError('failed_precondition', `order "${order.id}" ${what}: bid on open ones`);
  }
  const most = order.spec?.group?.maxPrice;
  if (most === undefined || offer.price?.denom !== most.denom || compareAmounts(offer.price, most) > 0) {
    const rule = most === undefined ? 'the order names no price' : `must be at most ${priceText(most)}, in that denom`;
    const asked = offer.price === undefined ? '' : `, and is ${priceText(offer.price)}`;
    throw new StatusError('failed_precondition', `field "price": ${rule}${asked}`, {
      details: { fieldViolations: [{ field: 'price', description: `${rule}${asked}` }] },
    });
  }
  const violations = unitViolations(offer, order);
  if (violations.length > 0) throw invalidFields(violations);
  if (bids >= maxBids) throw new StatusError('failed_precondition', `order "${order.id}" has ${maxBids} bids, and takes no more`);
}

/** After this the bid never becomes a lease, and none of the provider on this order does. Undefined when there is none, and never can be. */
export async function closeBid(
  options: TradeOptions,
  call: Call,
  provider: string,
  order: OrderId,
  reason: string,
): Promise<Bid | undefined> {
  return await trade(options, call, deploymentIdOf(order), async (open) => {
    const { kinds, at } = open;
    const known = await readKnown(open, order, provider);
    if (known.order === undefined) return await refuseComing(open, order);
    switch (known.bid?.status?.state) {
      case BidState.OPEN:
        return open.update(kinds.bids, known.bid, withBidState(known.bid, BidState.CLOSED, { reason, at }));
      case BidState.ACTIVE:
        throw new StatusError('failed_precondition', `bid "${known.bid.id}" has become a lease: close that`);
      case undefined:
        break;
      default:
        return known.bid;
    }
    if (known.order.status?.state !== OrderState.OPEN) return undefined;
    const making = { owner: order.owner, by: open.by, at };
    return open.create(kinds.bids, newBid(order, provider, {}, making, { reason, at }));
  });
}

/** What is not known was forgotten, and numbers are given out once; but of orders that are still to come nobody can promise anything. */
async function refuseComing({ tx, kinds }: Trade, order: OrderId): Promise<undefined> {
  const deployment = await kinds.deployments.store.get(tx, deploymentIdOf(order));
  const statement = { name: 'coming-dseq', text: 'select last_value + is_called::int as dseq from dseq' };
  const [row] = await tx.query<{ readonly dseq: bigint }>(statement);
  const { state, groups = [] } = deployment?.status ?? {};
  const isNext = state === DeploymentState.ACTIVE && groups.some(({ gseq, oseq }) => gseq === order.gseq && oseq < order.oseq);
  if (isNext || order.dseq >= (row?.dseq ?? 0n)) throw notFound(kinds.orders, orderIdOf(order));
  return undefined;
}

/** Ends the lease of the provider, if it is not over. */
export async function closeLease(options: TradeOptions, call: Call, provider: string, order: OrderId, reason: string): Promise<Lease> {
  const id = bidIdOf(order, provider);
  return await trade(options, call, deploymentIdOf(order), async (open) => {
    const lease = await open.kinds.leases.store.get(open.tx, id);
    if (lease === undefined || lease.spec?.order?.owner !== order.owner) throw notFound(open.kinds.leases, id);
    if (lease.status?.state !== LeaseState.ACTIVE) return lease;
    return await endLease(open, lease, LeaseEnd.PROVIDER, { reason, at: open.at });
  });
}
