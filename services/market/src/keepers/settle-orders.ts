import { BidChoice, BidState, DeploymentState, LeaseEnd, type Order, OrderState } from '@quartermaster/api/market';
import { limit } from '@quartermaster/kernel';
import { chooseBid } from '../rules/index.ts';
import { acceptBid } from '../trade/accept-bid.ts';
import { expireOrder } from '../trade/expire-order.ts';
import { openBidsOn, providersThatLeft } from '../trade/read-trade.ts';
import { itself, type Trade, type TradeOptions, trade } from '../trade/trade.ts';

export interface SettleOptions extends TradeOptions {
  /** How old an order must be before the market chooses. */
  readonly choiceDelayMs: number;
}

interface DueRow {
  readonly id: string;
  readonly deployment: string;
}

const atOnce = 200;
const together = 4;

/**
 * Open orders of those who leave the choice to the market, that are old enough and have a bid which it may choose. The oldest first. It begins with open bids: of orders that
 * nobody bids on there may be thousands, and this is asked all the time.
 */
export const toChoose = {
  name: 'orders-to-choose',
  text: `select distinct o.created_at, o.id, o.deployment
    from bids b join orders o on o.id = b.order_id join deployments d on d.id = o.deployment
    where b.state = ${BidState.OPEN} and o.state = ${OrderState.OPEN} and o.created_at <= $1
      and d.choice = ${BidChoice.CHEAPEST} and d.state = ${DeploymentState.ACTIVE} and not exists (
        select from leases l where l.group_id = o.group_id and l.provider = b.provider and l.ended_by = ${LeaseEnd.PROVIDER})
    order by o.created_at, o.id limit ${atOnce}`,
};

const toExpire = {
  name: 'orders-to-expire',
  text: `select id, deployment from orders where expires_at <> '' and expires_at <= $1 order by expires_at limit ${atOnce}`,
};

/**
 * Chooses bids and closes orders whose time is over. Any number of replicas do so at once: what is due is looked for without locks, and each order is then looked at again in a
 * transaction of its own. One that fails holds up no other; its failure is thrown at the end.
 */
export async function settleOrders(options: SettleOptions, signal: AbortSignal): Promise<void> {
  const { database, clock, choiceDelayMs } = options;
  const inTurn = limit(together);
  const settle = async (what: string, { id, deployment }: DueRow, work: (open: Trade, order: Order) => Promise<void>): Promise<void> => {
    if (signal.aborted) return;
    await trade(options, itself(what), deployment, async (open) => {
      const order = await open.kinds.orders.store.get(open.tx, id);
      if (order?.status?.state === OrderState.OPEN) await work(open, order);
    });
  };
  const now = clock.now();
  const [chosen, expired] = await Promise.all([
    database.query<DueRow>(toChoose, [new Date(now - choiceDelayMs)]),
    database.query<DueRow>(toExpire, [new Date(now).toISOString()]),
  ]);
  const settled = await Promise.allSettled([
    ...chosen.map((row) => inTurn(() => settle('choice', row, choose))),
    ...expired.map((row) => inTurn(() => settle('expiry', row, expireOrder))),
  ]);
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function choose(open: Trade, order: Order): Promise<void> {
  const { dseq, gseq } = order.spec?.order ?? {};
  const [deployment, bids, left] = await Promise.all([
    open.kinds.deployments.store.get(open.tx, String(dseq)),
    openBidsOn(open, order.id),
    providersThatLeft(open, `${dseq}-${gseq}`, LeaseEnd.PROVIDER),
  ]);
  const bid = chooseBid(bids, left);
  if (bid !== undefined && deployment?.spec?.choice === BidChoice.CHEAPEST) await acceptBid(open, order, bid);
}
