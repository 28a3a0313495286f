import { create } from '@bufbuild/protobuf';
import type { Order } from '@quartermaster/api/market';
import { MetadataSchema } from '@quartermaster/api/private';

/**
 * An order as providers see it: without who ordered it but for the account, and without how many bid on it, which its version would tell, too. What is shown is not copied:
 * providers read all open orders, again and again.
 */
export function providerView(order: Order): Order {
  const { metadata, status } = order;
  const creationTimestamp = metadata?.creationTimestamp;
  return {
    ...order,
    metadata: create(MetadataSchema, creationTimestamp && { creationTimestamp }),
    ...(status && { status: { ...status, bids: 0 } }),
  };
}
