import type { OrderId } from '@quartermaster/api/cluster';
import { type Lease, type LeaseDelivery, LeaseState } from '@quartermaster/api/market';
import { invalidFields, StatusError } from '@quartermaster/kernel';
import { type Call, notFound } from '@quartermaster/objects';
import {
  bidIdOf,
  boundedDelivery,
  deliveryViolations,
  deploymentIdOf,
  isComplete,
  isSameDelivery,
  isTurn,
  withDelivery,
} from '../rules/index.ts';
import { type TradeOptions, trade } from '../trade/trade.ts';

/**
 * Stores how a lease of the provider goes. What says no more than what is stored writes nothing. The audit log has the turns alone (another state, another manifest, a refusal): how
 * many replicas are ready changes too often, and the feed tells it.
 */
export async function reportDelivery(
  options: TradeOptions,
  call: Call,
  provider: string,
  order: OrderId,
  said: LeaseDelivery | undefined,
): Promise<Lease> {
  if (said === undefined) throw invalidFields([{ field: 'delivery', description: 'must be given: how the lease goes' }]);
  const delivery = boundedDelivery(said);
  const violations = deliveryViolations(delivery);
  if (violations.length > 0) throw invalidFields(violations);
  const id = bidIdOf(order, provider);
  return await trade(options, call, deploymentIdOf(order), async (open) => {
    const { leases } = open.kinds;
    const lease = await leases.store.get(open.tx, id);
    if (lease === undefined || lease.spec?.order?.owner !== order.owner) throw notFound(leases, id);
    const { state, delivery: before } = lease.status ?? {};
    if (isSameDelivery(before, delivery)) return lease;
    const isOver = state !== LeaseState.ACTIVE;
    if (isOver !== isComplete(delivery)) {
      const rule = isOver ? 'is closed: nothing can be said of it but Complete' : 'is active: it can be Complete once it is closed';
      throw new StatusError('failed_precondition', `field "delivery.state": lease "${id}" ${rule}`);
    }
    return open.update(leases, lease, withDelivery(lease, delivery, open.at), { isAudited: isTurn(before, delivery) });
  });
}
