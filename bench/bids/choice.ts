import { create } from '@bufbuild/protobuf';
import { BidChoice, PriceSchema } from '@quartermaster/api/market';
import { systemClock } from '@quartermaster/kernel';
import { newBid, startTestMarket, toChoose } from '@quartermaster/market/testing';
import type { Statement } from '@quartermaster/store';
import { type Measure, measure, median } from '../report.ts';
import { takeTurns } from '../turns.ts';
import { placeOrders } from './place-orders.ts';
import { provider } from './protocol.ts';

const batches = 10;
const ordersOfBatch = 1_000;
/** One order of so many has a bid. */
const ordersForBid = 100;
const looksOfRound = 20;
const price = create(PriceSchema, { denom: 'uakt', amount: '1' });

/** The same question, asked of each open order. */
const ofEachOrder = {
  name: 'bench-of-each-order',
  text: `select o.id, o.deployment from orders o join deployments d on d.id = o.deployment
    where o.state = 1 and o.created_at <= $1 and d.choice = 2 and d.state = 1 and exists (
      select from bids b where b.order_id = o.id and b.state = 1 and not exists (
        select from leases l where l.group_id = o.group_id and l.provider = b.provider and l.ended_by = 3)
    ) order by o.created_at, o.id limit 200`,
};

/** The look alone: nothing is chosen, since the market of this benchmark chooses after an hour. */
export async function choiceMeasure(databaseUrl: string, rounds: number): Promise<Measure> {
  const service = await startTestMarket({ databaseUrl });
  const { database } = service.market;
  try {
    for (let batch = 0; batch < batches; batch += 1) {
      await placeOrders(service, ordersOfBatch, BidChoice.CHEAPEST, (open, { spec, metadata }, index) => {
        if (index % ordersForBid !== 0 || spec?.order === undefined) return;
        const making = { owner: spec.order.owner, by: open.by, at: metadata?.creationTimestamp ?? open.at };
        open.create(open.kinds.bids, newBid(spec.order, provider, { price }, making));
      });
    }
    // A database that runs for a while has done this by itself.
    await database.query({ text: 'vacuum analyze' });
    const look = async (statement: Statement): Promise<number> => {
      const begin = performance.now();
      const found = await database.query(statement, [new Date(systemClock.now())]);
      if (found.length !== (batches * ordersOfBatch) / ordersForBid) throw new Error(`the market would choose for ${found.length} orders`);
      return performance.now() - begin;
    };
    const looks = (statement: Statement) => async (): Promise<number> => {
      const times: number[] = [];
      for (let each = 0; each < looksOfRound; each += 1) times.push(await look(statement));
      return median(times);
    };
    const sides = { ours: looks(toChoose), baseline: looks(ofEachOrder) };
    // In the first round the statements are prepared.
    await takeTurns(1, sides);
    return measure({ what: 'choice', ...(await takeTurns(rounds, sides)), unit: 'ms', better: 'lower' });
  } finally {
    await service.stop();
  }
}
