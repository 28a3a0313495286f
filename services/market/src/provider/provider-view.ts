import { clone, create } from '@bufbuild/protobuf';
import { type Order, OrderSchema } from '@quartermaster/api/market';
import { MetadataSchema } from '@quartermaster/api/private';

/** An order as providers see it: without who ordered it but for the account, and without how many bid on it, which its version would tell, too. */
export function providerView(order: Order): Order {
  const shown = clone(OrderSchema, order);
  const creationTimestamp = order.metadata?.creationTimestamp;
  shown.metadata = create(MetadataSchema, creationTimestamp && { creationTimestamp });
  if (shown.status !== undefined) shown.status.bids = 0;
  return shown;
}
