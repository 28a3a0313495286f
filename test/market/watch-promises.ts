import { BidState } from '@quartermaster/api/market';
import { pause, systemClock } from '@quartermaster/kernel';
import { perNode, type TradingSite } from './trading-site.ts';

export interface WatchedPromises {
  /** What was not as it must be at every moment. */
  readonly broken: readonly string[];
  /** How often it was looked. */
  looks(): number;
  stop(): Promise<void>;
}

/** Looks all the time, also while somebody is away: the database and the API server never are. */
export function watchPromises(site: TradingSite): WatchedPromises {
  const ending = new AbortController();
  const broken: string[] = [];
  let looks = 0;
  const run = async (): Promise<void> => {
    for (; !ending.signal.aborted; looks += 1) {
      broken.push(...(await look(site)));
      await pause(systemClock, 20, ending.signal);
    }
  };
  const running = run();
  running.catch((thrown: unknown) => broken.push(`nobody looks any more: ${String(thrown)}`));
  return {
    broken,
    looks: () => looks,
    stop: async () => {
      ending.abort();
      await running.catch(() => {});
    },
  };
}

const alive: ReadonlySet<number> = new Set([BidState.OPEN, BidState.ACTIVE]);

async function look(site: TradingSite): Promise<readonly string[]> {
  const live = async () => (await site.orders()).filter(({ bid }) => alive.has(Number(bid))).map(({ name }) => name);
  const before = await live();
  const reservations = await site.reservations();
  // What has ended stays so: a bid that is there before and after was there all the time.
  const after = new Set(await live());
  const promised = new Set(
    reservations.flatMap(({ metadata, spec, status }) =>
      status?.confirmed === true && spec.bid !== undefined ? [metadata?.name ?? ''] : [],
    ),
  );
  const bare = before.filter((name) => after.has(name) && !promised.has(name));
  const orders = reservations.map(({ spec: { order } }) => [order.owner, order.dseq, order.gseq, order.oseq].join('/'));
  const onNode = Map.groupBy(
    reservations.flatMap(({ spec }) =>
      spec.plan.units.flatMap(({ cpuMillis, replicas }) => replicas.map(({ node }) => ({ node, cpuMillis }))),
    ),
    ({ node }) => node,
  );
  const full = [...onNode].filter(([, held]) => held.reduce((sum, { cpuMillis }) => sum + cpuMillis, 0) > perNode * 1_000);
  return [
    ...bare.map((name) => `${name} has a bid or a lease without a reservation`),
    ...orders.filter((order, index) => orders.indexOf(order) !== index).map((order) => `${order} has two reservations`),
    ...full.map(([node]) => `more is promised of ${node} than it has`),
  ];
}
