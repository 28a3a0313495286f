import { type Order, OrderState } from '@quartermaster/api/market';
import { closedDeployment, deploymentIdOf, endedBid, withGroup, withOrderState } from '../rules/index.ts';
import { liveParts } from './read-trade.ts';
import type { Trade } from './trade.ts';

/**
 * Closes an open order whose time is over. The deployment says so at the group; where nothing else of it is left it is closed, too, since it would wait for nothing: whoever still
 * wants it deploys anew.
 */
export async function expireOrder(trade: Trade, order: Order): Promise<void> {
  const { tx, kinds, at } = trade;
  const numbers = order.spec?.order;
  if (numbers === undefined) return;
  const id = deploymentIdOf(numbers);
  const [deployment, live] = await Promise.all([kinds.deployments.store.get(tx, id), liveParts(trade, id)]);
  const bids = live.bids.filter(({ spec }) => spec?.order?.gseq === numbers.gseq && spec.order.oseq === numbers.oseq);
  const reason = bids.length > 0 ? `none of its ${bids.length} open bids was accepted in time` : 'no provider offered it in time';
  for (const bid of bids) trade.update(kinds.bids, bid, endedBid(bid, { reason: 'the order has expired', at }));
  trade.update(kinds.orders, order, withOrderState(order, OrderState.CLOSED, { reason, at }));
  if (deployment === undefined) return;
  const told = withGroup(deployment, numbers.gseq, { closedReason: `${reason}; close the deployment and deploy anew to try again` });
  const isLast = live.orders.every((other) => other.id === order.id);
  const ending = { reason: `group "${order.spec?.groupName}": ${reason}`, at };
  trade.update(kinds.deployments, deployment, isLast ? closedDeployment(told, ending) : told);
}
