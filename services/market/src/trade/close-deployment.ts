import { type Deployment, LeaseEnd, OrderState } from '@quartermaster/api/market';
import { closedDeployment, closedLease, type Ending, endedBid, withOrderState } from '../rules/index.ts';
import { liveParts } from './read-trade.ts';
import type { Trade } from './trade.ts';

/** Closes an active deployment with everything of it that is not over. */
export async function closeDeployment(trade: Trade, deployment: Deployment, ending: Ending): Promise<Deployment> {
  const { kinds } = trade;
  const { orders, bids, leases } = await liveParts(trade, deployment.id);
  for (const order of orders) trade.update(kinds.orders, order, withOrderState(order, OrderState.CLOSED, ending));
  for (const bid of bids) trade.update(kinds.bids, bid, endedBid(bid, ending));
  for (const lease of leases) trade.update(kinds.leases, lease, closedLease(lease, LeaseEnd.DEPLOYMENT, ending));
  return trade.update(kinds.deployments, deployment, closedDeployment(deployment, ending));
}
