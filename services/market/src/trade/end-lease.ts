import { DeploymentState, type Lease, type LeaseEnd, type Order, OrderState } from '@quartermaster/api/market';
import { closedLease, deploymentIdOf, type Ending, endedBid, newOrder, orderIdOf, withGroup, withOrderState } from '../rules/index.ts';
import type { Trade } from './trade.ts';

/** Closes an active lease with its bid and its order, and orders the group anew if the deployment stays. */
export async function endLease(trade: Trade, lease: Lease, by: LeaseEnd, ending: Ending): Promise<Lease> {
  const { tx, kinds } = trade;
  const numbers = lease.spec?.order;
  if (numbers === undefined) return lease;
  const [bid, order, deployment] = await Promise.all([
    kinds.bids.store.get(tx, lease.id),
    kinds.orders.store.get(tx, orderIdOf(numbers)),
    kinds.deployments.store.get(tx, deploymentIdOf(numbers)),
  ]);
  if (bid !== undefined) trade.update(kinds.bids, bid, endedBid(bid, ending));
  if (order !== undefined) trade.update(kinds.orders, order, withOrderState(order, OrderState.CLOSED, ending));
  const group = deployment?.status?.groups.find(({ gseq }) => gseq === numbers.gseq);
  if (deployment !== undefined && group !== undefined && deployment.status?.state === DeploymentState.ACTIVE) {
    const oseq = group.oseq + 1;
    trade.update(kinds.deployments, deployment, withGroup(deployment, numbers.gseq, { oseq, closedReason: '' }));
    orderGroup(trade, numbers.dseq, { ...group, oseq }, numbers.owner);
  }
  return trade.update(kinds.leases, lease, closedLease(lease, by, ending));
}

/** Opens the order of a group. */
function orderGroup(trade: Trade, dseq: bigint, group: Parameters<typeof newOrder>[1], owner: string): Order {
  const { kinds, by, at, orderLifetimeMs } = trade;
  return trade.create(kinds.orders, newOrder(dseq, group, { owner, by, at }, orderLifetimeMs));
}
