import { type Bid, BidState, type Lease, type Order, OrderState } from '@quartermaster/api/market';
import { newLease, withBidState, withOrderState } from '../rules/index.ts';
import { openBidsOn } from './read-trade.ts';
import type { Trade } from './trade.ts';

/** Makes an open bid on an open order the lease. The other bids are lost. */
export async function acceptBid(trade: Trade, order: Order, bid: Bid): Promise<Lease> {
  const { kinds, at } = trade;
  const ending = { reason: 'another bid was accepted', at };
  for (const other of await openBidsOn(trade, order.id)) {
    if (other.id !== bid.id) trade.update(kinds.bids, other, withBidState(other, BidState.LOST, ending));
  }
  trade.update(kinds.bids, bid, withBidState(bid, BidState.ACTIVE));
  trade.update(kinds.orders, order, withOrderState(order, OrderState.ACTIVE));
  const making = { owner: order.spec?.order?.owner ?? '', by: trade.by, at };
  return trade.create(kinds.leases, newLease(bid, order.spec?.groupName ?? '', making));
}
