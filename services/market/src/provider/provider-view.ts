import { create } from '@bufbuild/protobuf';
import type { Order } from '@quartermaster/api/market';
import { MetadataSchema } from '@quartermaster/api/private';

/**
 * An order as providers see it: without who ordered it but for the account, without what will run, which is the business of whoever gets the lease, and without how
 * many bid on it. The version would tell that, too, and so would the reason of its end, which is that of somebody else's lease. What is shown is not copied: providers
 * read all open orders, again and again.
 */
export function providerView(order: Order): Order {
  const { metadata, spec, status } = order;
  const creationTimestamp = metadata?.creationTimestamp;
  return {
    ...order,
    metadata: create(MetadataSchema, creationTimestamp && { creationTimestamp }),
    ...(spec && { spec: { ...spec, ...(spec.group && { group: { ...spec.group, services: [] } }) } }),
    ...(status && { status: { ...status, bids: 0, closedReason: '' } }),
  };
}
