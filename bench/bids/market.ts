/** The market service on a database that is there, and its tenants: they order all at once, and take nothing. */
import { BidChoice, Deployments } from '@quartermaster/api/market';
import { limit, sleep, systemClock } from '@quartermaster/kernel';
import { startTestMarket } from '@quartermaster/market/testing';
import { percentile } from '../fulfillment/load.ts';
import { placeOrders } from './place-orders.ts';
import { type Bidding, type MarketReady, type MarketRequest, provider } from './protocol.ts';

const lookAgainMs = 50;
const patienceMs = 180_000;
const closedAtOnce = 8;

const openBids = { name: 'bench-open-bids', text: 'select count(*) as bids from bids where state = 1' };
const times = {
  name: 'bench-times',
  text: `select (extract(epoch from o.created_at) * 1000)::float8 as ordered, (extract(epoch from b.created_at) * 1000)::float8 as bid
    from bids b join orders o on o.id = b.order_id where b.state = 1`,
};

const [databaseUrl = ''] = process.argv.slice(2);
const service = await startTestMarket({ databaseUrl });
const { database } = service.market;
let placed: readonly string[] = [];

async function trade(orders: number): Promise<Bidding> {
  placed = (await placeOrders(service, orders, BidChoice.TENANT)).map(({ id }) => id);
  const since = performance.now();
  for (let bids = 0; bids < orders; ) {
    await sleep(systemClock, lookAgainMs);
    const [row] = await database.query<{ readonly bids: bigint }>(openBids);
    bids = Number(row?.bids ?? 0);
    if (performance.now() - since > patienceMs) throw new Error(`there are ${bids} bids on ${orders} orders after ${patienceMs / 1000} s`);
  }
  const rows = await database.query<{ readonly ordered: number; readonly bid: number }>(times);
  const tookMs = Math.max(...rows.map(({ bid }) => bid)) - Math.min(...rows.map(({ ordered }) => ordered));
  return {
    bidsPerSecond: (1000 * orders) / tookMs,
    p99Ms: percentile(
      rows.map(({ ordered, bid }) => bid - ordered),
      0.99,
    ),
  };
}

async function close(): Promise<void> {
  const deployments = service.admin.client(Deployments);
  const inTurn = limit(closedAtOnce);
  await Promise.all(placed.map((id) => inTurn(() => deployments.close({ id }))));
}

process.on('disconnect', () => process.exit(0));
process.on('message', (request: MarketRequest) => {
  void (request.kind === 'trade' ? trade(request.orders) : close()).then((answer) => process.send?.(answer ?? {}));
});
const token = await service.token({ name: 'agent of the bench', role: 'provider', source: provider });
process.send?.({ address: service.grpcAddress, token } satisfies MarketReady);
