import type { Queryable } from '@quartermaster/store';
import { partsOfOrder } from '../trade/read-trade.ts';
import { itself, type TradeOptions, trade } from '../trade/trade.ts';

export interface HistoryOptions extends TradeOptions {
  /** How long what is closed stays. */
  readonly historyMs: number;
}

interface OldRow {
  readonly id: string;
  readonly deployment: string;
}

const atOnce = 100;

const oldOrders = {
  name: 'old-orders',
  text: `select id, deployment from orders where closed_at <> '' and closed_at < $1 order by closed_at, id limit ${atOnce}`,
};
const oldDeployments = {
  name: 'old-deployments',
  text: `select id, id as deployment from deployments d where closed_at <> '' and closed_at < $1
    and not exists (select from orders where deployment = d.id) order by closed_at, id limit ${atOnce}`,
};

/**
 * Moves what was closed long ago into the archive: orders with their bids and leases, each in a transaction, and deployments of which no order is left. Gives how many of both.
 */
export async function forgetHistory(options: HistoryOptions, signal: AbortSignal): Promise<number> {
  const { database, clock, kinds, historyMs } = options;
  const before = new Date(clock.now() - historyMs).toISOString();
  let count = 0;
  for await (const { id, deployment } of rowsOf(database, oldOrders, before, signal)) {
    await trade(options, itself('history'), deployment, async (open) => {
      const [order, { bids, leases }] = await Promise.all([kinds.orders.store.get(open.tx, id), partsOfOrder(open, id)]);
      for (const bid of bids) open.remove(kinds.bids, bid);
      for (const lease of leases) open.remove(kinds.leases, lease);
      if (order !== undefined) open.remove(kinds.orders, order);
    });
    count += 1;
  }
  for await (const { id } of rowsOf(database, oldDeployments, before, signal)) {
    await trade(options, itself('history'), id, async (open) => {
      const deployment = await kinds.deployments.store.get(open.tx, id);
      if (deployment !== undefined) open.remove(kinds.deployments, deployment);
    });
    count += 1;
  }
  return count;
}

/** Some at a time, as long as there are any. */
async function* rowsOf(
  db: Queryable,
  statement: typeof oldOrders,
  before: string,
  signal: AbortSignal,
): AsyncGenerator<OldRow, void, undefined> {
  for (let rows = atOnce; rows === atOnce && !signal.aborted; ) {
    const some = await db.query<OldRow>(statement, [before]);
    rows = some.length;
    for (const row of some) {
      if (signal.aborted) return;
      yield row;
    }
  }
}
