/**
 * The market on PostgreSQL and a provider of one hundred nodes, whose cluster service bids on 1 000 orders of 100 owners that are there at once; beside it one that takes one
 * order at a time, in all else the same. A bid is made when its reservation is confirmed, as always. On the simulated API server, or with `--real` on the real one, whose
 * etcd writes to disk.
 *
 * bids     bids a second, from the first order to the last bid
 * p99-bid  from an order to its bid, in 99 of 100 cases, by the times that the market has written down
 * choice   how long the market looks for orders whose bid it is to choose, as it does every half second: 10 000 are open for it, and of these 100 have a bid; beside a
 *          look at each open order
 *
 * `--profile FOLDER` has the market and the provider write CPU profiles.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { silentLog } from '@quartermaster/kernel';
import { ensureDatabase, startEmbeddedPostgres } from '@quartermaster/store/embedded';
import { type Measure, measure, printReport } from '../report.ts';
import { roundsOf, takeTurns } from '../turns.ts';
import { choiceMeasure } from './choice.ts';
import type { Bidding } from './protocol.ts';
import { Side } from './side.ts';

const orders = 1_000;
const args = process.argv.slice(2);
const rounds = roundsOf(args, 3);
const profileAt = args.indexOf('--profile');
const flags = profileAt < 0 ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(process.env['INIT_CWD'] ?? '.', args[profileAt + 1] ?? '')}`];

const directory = await mkdtemp(join(tmpdir(), 'quartermaster-bench-'));
const postgres = await startEmbeddedPostgres({ directory, log: silentLog });
const sides: Side[] = [];

async function startSide(name: string, ordersAtOnce: number): Promise<(round: number) => Promise<Bidding>> {
  const databaseUrl = await ensureDatabase(postgres.url, name);
  const side = await Side.start({ databaseUrl, ordersAtOnce, isReal: args.includes('--real'), flags });
  sides.push(side);
  return async () => {
    const bidding = await side.round(orders);
    console.error(`${name}: ${bidding.bidsPerSecond.toFixed(0)} bids/s, p99 ${bidding.p99Ms.toFixed(0)} ms`);
    return bidding;
  };
}

async function bidMeasures(): Promise<readonly Measure[]> {
  const both = { ours: await startSide('at_once', 32), baseline: await startSide('one_at_a_time', 1) };
  // The first round has the code compiled and is not counted.
  await takeTurns(1, both);
  const { ours, baseline } = await takeTurns(rounds, both);
  const values = (of: (each: Bidding) => number) => ({ ours: ours.map(of), baseline: baseline.map(of) });
  return [
    measure({ what: 'bids', ...values(({ bidsPerSecond }) => bidsPerSecond), unit: '/s', better: 'higher' }),
    measure({ what: 'p99-bid', ...values(({ p99Ms }) => p99Ms), unit: 'ms', better: 'lower' }),
  ];
}

try {
  const choice = await choiceMeasure(await ensureDatabase(postgres.url, 'choice'), rounds);
  printReport({ bench: 'bids', measures: [...(await bidMeasures()), choice] }, args);
} finally {
  for (const side of sides) await side.stop();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
