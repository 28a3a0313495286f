import type { BidDecisionJson } from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import type { BidObject, LeaseObject, OrderNumbers, OrderObject } from './market-objects.ts';

/** An order as far as the caller knows of it: what the market shows, and what the own program decided. */
export interface TradedOrder {
  readonly numbers: OrderNumbers;
  readonly order?: OrderObject | undefined;
  /** Of the caller, where it is a provider. */
  readonly bid?: BidObject | undefined;
  readonly lease?: LeaseObject | undefined;
  readonly decision?: BidDecisionJson | undefined;
}

interface TradedParts {
  readonly orders: readonly OrderObject[];
  readonly bids: readonly BidObject[];
  readonly leases: readonly LeaseObject[];
  readonly decisions: readonly BidDecisionJson[];
}

/** Everything about the same order in one row, the newest deployment first. */
export function joinOrders({ orders, bids, leases, decisions }: TradedParts): readonly TradedOrder[] {
  const rows = new Map<string, TradedOrder>(); // order as text -> its row
  const add = (numbers: OrderNumbers | undefined, part: Omit<TradedOrder, 'numbers'>): void => {
    if (numbers === undefined) return;
    const key = orderText(numbers);
    rows.set(key, { numbers, ...rows.get(key), ...part });
  };
  for (const order of orders) add(order.spec?.order, { order });
  for (const bid of bids) add(bid.spec?.order, { bid });
  for (const lease of leases) add(lease.spec?.order, { lease });
  for (const decision of decisions) {
    const { owner = '', dseq = '0', gseq = 0, oseq = 0 } = decision.order ?? {};
    add({ owner, dseq, gseq, oseq }, { decision });
  }
  const newest = (a: OrderNumbers, b: OrderNumbers): number =>
    Number(BigInt(b.dseq) - BigInt(a.dseq)) || a.gseq - b.gseq || b.oseq - a.oseq;
  return [...rows.values()].toSorted((a, b) => newest(a.numbers, b.numbers));
}
