/**
 * One replica that bids, as a process of its own: started by `BiddingProcess`, at a market that the process which started it has, and which it dies before.
 */
import {
  BidEngine,
  DecisionStore,
  type Market,
  MarketView,
  openTerms,
  sampleScale,
  scalePricing,
} from '@quartermaster/cluster/testing/replica';
import { silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import { KubeClient } from '@quartermaster/kube';
import { installStepKiller, stepVariable } from '@quartermaster/runtime/testing/step-killer';
import type { MarketAnswer, MarketQuestion, ToBidder } from './bidding-process-order.ts';
import { ReservingReplica } from './reserving-replica.ts';

const [kubeconfig = '', namespace = '', identity = '', timeout, leases] = process.argv.slice(2);
let bidTimeoutMs = Number(timeout);
const client = await KubeClient.connect({ kubeconfig });
const waiting = new Map<number, (answer: MarketAnswer) => void>();
const watchers = new Set<() => void>();
let asked = 0;

async function ask(method: MarketQuestion['method'], ...args: readonly unknown[]): Promise<never> {
  asked += 1;
  const { promise, resolve } = Promise.withResolvers<MarketAnswer>();
  waiting.set(asked, resolve);
  process.send?.({ id: asked, method, args } satisfies MarketQuestion);
  const { value, error } = await promise;
  if (error !== undefined) throw new Error(error);
  return value as never;
}

const market: Market = {
  priceDigits: 18,
  account: () => ask('account'),
  orders: (page) => ask('orders', page),
  bids: (page) => ask('bids', page),
  leases: (page) => ask('leases', page),
  lookUp: (orders) => ask('lookUp', orders),
  createBid: (order, offer) => ask('createBid', order, offer),
  closeBid: (order, reason) => ask('closeBid', order, reason),
  closeLease: (order, reason) => ask('closeLease', order, reason),
  manifestOf: (order) => ask('manifestOf', order),
  report: (order, delivery) => ask('report', order, delivery),
  keysOf: async () => [],
  watch: async (wake, signal) => {
    watchers.add(wake);
    wake();
    await new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    watchers.delete(wake);
  },
};

// Loaded by those alone that need it: it is as much again.
const startLeaseHost = leases === undefined ? undefined : (await import('@quartermaster/cluster/testing')).startLeaseHost;
type LeaseHost = Awaited<ReturnType<NonNullable<typeof startLeaseHost>>>;
type Leased = LeaseHost['hooks'];
let host: LeaseHost | undefined;
const context = { clock: systemClock, random: systemRandom, log: silentLog };
const view = new MarketView({ market, readEveryMs: 200, deadlineMs: 5_000, ...context });
const replica = new ReservingReplica({
  client,
  namespace,
  identity,
  // Each has room for two leases.
  nodes: leases === undefined ? ['n1'] : ['n1', 'n2'],
  // A dead leader's lease is deleted: nobody waits for it, and none of them loses it by being slow.
  leaseMs: 60_000,
  alsoLeads: (leadership, { book, reservations }, caches) => {
    const decisions = new DecisionStore({ reader: client, caches, retentionMs: 3_600_000, most: 100, ...context });
    leadership.duty('market', ({ signal }) => {
      process.send?.({ id: 0, method: 'leads', args: [] } satisfies MarketQuestion);
      return view.run(signal);
    });
    const lead = (leased?: Leased): void =>
      leadership.controller({
        name: 'bids',
        sources: [view.source, reservations.cache.source, decisions.source, ...(leased === undefined ? [] : [leased.source])],
        workers: 4,
        fullPassIntervalMs: 200,
        reconciler: ({ writer }) =>
          new BidEngine({
            ...{ market, view, book, decide: reservations.decide, deadlineMs: 5_000, considersAtOnce: 3, ...context },
            ...{
              terms: () => openTerms,
              pricing: scalePricing(sampleScale, market.priceDigits),
              leaseStand: leased?.stand,
            },
            get bidTimeoutMs() {
              return bidTimeoutMs;
            },
            reserver: () => reservations.reserver,
            records: decisions.writtenBy(writer),
          }),
      });
    if (startLeaseHost === undefined) return lead();
    // It waits for nothing outside of this process, and so is done before the election is.
    void startLeaseHost({ client, caches, leadership, market, view, book, reservations, clock: systemClock }).then((started) => {
      host = started;
      lead(started.hooks);
    });
    return undefined;
  },
});

process.on('disconnect', () => {
  void replica.stop();
  process.exit();
});
process.on('message', (message: ToBidder) => {
  if (message.do === 'die') installStepKiller({ [stepVariable]: message.step });
  else if (message.do === 'transfer') {
    const { to, hostname, service, externalPort } = message;
    const wanted = { hostname, service, externalPort, isStatic: false };
    host?.leases
      .actions()
      ?.transferHostname(to, wanted, new AbortController().signal)
      .catch(() => {});
  } else if (message.do === 'time-bids') bidTimeoutMs = message.ms;
  else if (message.do === 'wake') for (const wake of watchers) wake();
  else {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  }
});
process.send?.({ id: 0, method: 'ready', args: [] } satisfies MarketQuestion);
