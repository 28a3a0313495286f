/** The numbers of an order, and the ids that are made of them. */
import { invalidFields } from '@quartermaster/kernel';

export interface OrderNumbers {
  readonly dseq: bigint;
  readonly gseq: number;
  readonly oseq: number;
}

/** The id of the deployment. */
export const deploymentIdOf = ({ dseq }: Pick<OrderNumbers, 'dseq'>): string => String(dseq);

export const orderIdOf = ({ dseq, gseq, oseq }: OrderNumbers): string => `${dseq}-${gseq}-${oseq}`;

/** The id of a bid, and of the lease that may become of it. */
export const bidIdOf = (order: OrderNumbers, provider: string): string => `${orderIdOf(order)}-${provider}`;

export interface BidParts {
  readonly deployment: string;
  readonly order: string;
  readonly provider: string;
}

/** Undefined for a text that is no id of a bid. */
export function parseBidId(id: string): BidParts | undefined {
  const [, order, deployment, provider] = /^((\d{1,20})-\d{1,10}-\d{1,10})-(.+)$/s.exec(id) ?? [];
  return order === undefined || deployment === undefined || provider === undefined ? undefined : { deployment, order, provider };
}

/** What PostgreSQL counts with. */
const maxDseq = 2n ** 63n - 1n;

/** Throws when a request names no order. */
export function required<O extends OrderNumbers>(order: O | undefined): O {
  if (order !== undefined && order.dseq > 0n && order.dseq <= maxDseq && order.gseq > 0 && order.oseq > 0) return order;
  throw invalidFields([{ field: 'order', description: 'must be given, with owner, dseq, gseq and oseq as ListOrders has them' }]);
}
