import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { inventoryUpdatedTopic, leaseClosedTopic, leaseWonTopic } from '@quartermaster/api/market-topics';
import { orderText } from '@quartermaster/api/states';
import type { Source } from '@quartermaster/controller';
import { messageOf, pause, StatusError } from '@quartermaster/kernel';
import type { RpcChannel } from '@quartermaster/rpc';
import { sharedServed } from '@quartermaster/runtime';
import type { RoleHost, Term } from '@quartermaster/runtime/host';
import { degraded, healthy } from '@quartermaster/service';
import { BidEngine } from '../bids/bid-engine.ts';
import type { ProviderTerms } from '../bids/concerns.ts';
import { DecisionStore } from '../bids/decision-store.ts';
import { explainDeclines } from '../bids/explain-decline.ts';
import { MarketView, type MarketViewStatus } from '../bids/market-view.ts';
import { limiter, programPricing } from '../bids/price-program.ts';
import { type PriceScale, scalePricing } from '../bids/price-scale.ts';
import type { Pricing } from '../bids/pricing.ts';
import { connectServer } from '../knowledge/connect-server.ts';
import { LocalMarket } from '../market/local-market.ts';
import type { Market } from '../market/market.ts';
import { RecordedMarket } from '../market/recorded-market.ts';
import { parseRecording } from '../market/recording.ts';
import type { LeaseStand } from '../model/lease-stand.ts';
import { bidMetrics } from './bid-metrics.ts';
import type { ClusterReplica } from './cluster-replica.ts';
import { type ClusterSettings, sharedMarketToken } from './cluster-role.ts';

type Host = RoleHost<ClusterSettings>;

export interface Bids {
  readonly decisions: DecisionStore;
  readonly isConfigured: boolean;
  /** While this replica leads. */
  readonly market: () => MarketViewStatus | undefined;
  /** What is read of the market while this replica leads. Undefined where there is none. */
  readonly view?: MarketView | undefined;
}

/** What the engine asks of leases, which are started after it. */
export interface LeaseHooks {
  /** How the lease of an order stands. */
  readonly stand: (name: string) => LeaseStand;
  /** Tells of leases that are over. */
  readonly source: Source;
}

/** The role that has the market, where it runs in the same process. */
const marketRole = 'service-market';
const readEveryMs = 30_000;
const deadlineMs = 10_000;
const pruneEveryMs = 60_000;
const announceEveryMs = 1_000;
/** Of those that are worked on. */
const consideredShare = 0.75;

/** Says what a leader does for orders of the market, where there is one. Without it nothing is bid for, and what was recorded before is still shown. */
export async function startBids(
  host: Host,
  replica: Pick<ClusterReplica, 'book' | 'placing' | 'reservations'>,
  trade: { readonly market: Market; readonly leases: LeaseHooks } | undefined,
): Promise<Bids> {
  const { config, clock, log } = host;
  const decisions = new DecisionStore({
    reader: await host.kubernetes(),
    caches: await host.caches.opener(),
    retentionMs: config['bid-decision-retention'],
    most: config['bid-decision-max'],
    clock,
    log,
  });
  host.keep('bid decisions', () => decisions.stop());
  if (trade === undefined) return { decisions, isConfigured: false, market: () => undefined };
  const { market, leases } = trade;
  const view = new MarketView({ market, readEveryMs, deadlineMs, clock, random: host.random, log });
  lead(host, replica, { market, view, leases }, decisions);
  const { leadership } = host;
  return { decisions, isConfigured: true, market: () => (leadership.election.isLeader ? view.status() : undefined), view };
}

function lead(
  host: Host,
  { book, placing, reservations }: Pick<ClusterReplica, 'book' | 'placing' | 'reservations'>,
  { market, view, leases }: { readonly market: Market; readonly view: MarketView; readonly leases: LeaseHooks },
  decisions: DecisionStore,
): void {
  const { config, clock, log, leadership } = host;
  const metrics = bidMetrics(host.metrics, decisions, () => (leadership.election.isLeader ? view.status() : undefined));
  host.keep('metrics of bids', metrics.stop);
  const unregister = host.health.register('bids', 'ready', () => {
    const problem = leadership.election.isLeader ? (view.status().problem?.message ?? decisions.problem()) : undefined;
    return problem === undefined ? healthy : degraded(problem);
  });
  host.keep('health of bids', unregister);
  const pricing = pricingOf(host, market.priceDigits);
  const terms = termsOf(config);
  leadership.duty('market', ({ signal }) => view.run(signal));
  leadership.duty('bid-decisions', async ({ signal, writer }) => {
    while (!signal.aborted) {
      await pause(clock, pruneEveryMs, signal);
      if (!signal.aborted)
        await decisions
          .prune(writer)
          .catch((thrown: unknown) => log.warn('old bid decisions cannot be deleted', { error: messageOf(thrown) }));
    }
  });
  leadership.duty('announcements', (term) => announceInventory(host, book, term));
  leadership.controller({
    name: 'bids',
    sources: [view.source, reservations.cache.source, decisions.source, leases.source],
    workers: config['bid-orders-at-once'],
    fullPassIntervalMs: readEveryMs,
    reconciler: ({ writer }) =>
      new BidEngine({
        ...{ market, view, book, pricing, clock, log, deadlineMs, terms: () => terms, decide: reservations.decide },
        explain: explainDeclines(() => book.stock, placing, clock),
        reserver: () => reservations.reserver,
        leaseStand: leases.stand,
        records: decisions.writtenBy(writer),
        bidTimeoutMs: config['bid-timeout'],
        considersAtOnce: Math.ceil(config['bid-orders-at-once'] * consideredShare),
        onDecision: metrics.decided,
        announce: (what, order) =>
          announce(host, () => {
            const topic = what === 'won' ? leaseWonTopic : leaseClosedTopic;
            return host.bus?.bus.publish(topic, { order: orderText(order), at: clock.now() });
          }),
      }),
  });
}

/** Nobody waits for it, and nobody relies on it. */
function announce({ log }: Host, publish: () => Promise<unknown> | undefined): void {
  publish()?.catch((thrown: unknown) => log.debug('an announcement was not published', { error: messageOf(thrown) }));
}

async function announceInventory(host: Host, book: ClusterReplica['book'], { signal }: Term): Promise<void> {
  let before: string | undefined;
  while (!signal.aborted) {
    const { generation } = book.knowledge;
    const now = generation && `${generation.epoch}/${generation.sequence}`;
    if (now !== before) announce(host, () => host.bus?.bus.publish(inventoryUpdatedTopic, { generation: now, at: host.clock.now() }));
    before = now;
    await pause(host.clock, announceEveryMs, signal);
  }
}

/** The one that the settings name, a recording of one, or that of this process. */
export async function openMarket(host: Host): Promise<Market | undefined> {
  const { config, clock, shared } = host;
  const recording = config['bid-recording-file'];
  if (recording !== undefined) return new RecordedMarket(parseRecording(await textOf(recording)), clock);
  const token = shared.find(sharedMarketToken);
  if (config['cluster-market-address'] === undefined && token === undefined) return undefined;
  const market = new LocalMarket(() => connectMarket(host, token));
  host.keep('connection to the market', () => market.close());
  return market;
}

function connectMarket({ config, shared }: Host, token: (() => Promise<string>) | undefined): Promise<RpcChannel> {
  const address = config['cluster-market-address'];
  return connectServer({
    setting: 'cluster-market',
    address: () => address ?? shared.find(sharedServed)?.of(marketRole)?.grpc,
    caFile: config['cluster-market-ca-file'],
    tokenFile: config['cluster-market-token-file'],
    // It is for the market of this process, and for nobody whom the settings name.
    token: address === undefined ? token : undefined,
  });
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new StatusError('invalid_argument', `bid-recording-file ${path} cannot be read: ${messageOf(thrown)}`);
  }
}

function pricingOf({ config, clock }: Host, digits: number): Pricing {
  const path = config['bid-price-script-path'];
  const scale = priceScaleOf(config);
  if (scale !== undefined) return scalePricing(scale, digits);
  if (path === undefined)
    throw new StatusError('invalid_argument', 'bid-price-script-path is missing: bid-price-strategy is program, and needs one');
  const memoryBytes = config['bid-price-script-memory-limit'];
  if (memoryBytes > 0 && !existsSync(limiter)) {
    const message = `bid-price-script-memory-limit needs ${limiter}, which is not there: install util-linux, or set it to 0 and bound the memory of this process`;
    throw new StatusError('invalid_argument', message);
  }
  const [atOnce, timeoutMs] = [config['bid-price-script-process-limit'], config['bid-price-script-process-timeout']];
  return programPricing({ path, atOnce, timeoutMs, memoryBytes, clock }, digits);
}

/** Undefined where a program makes prices. */
export function priceScaleOf(config: ClusterSettings): PriceScale | undefined {
  if (config['bid-price-strategy'] !== 'scale') return undefined;
  return {
    denom: config['bid-price-denom'],
    cpu: config['bid-price-cpu-scale'],
    memory: config['bid-price-memory-scale'],
    storage: config['bid-price-storage-scale'],
    gpu: config['bid-price-gpu-scale'],
    endpoint: config['bid-price-endpoint-scale'],
    ip: config['bid-price-ip-scale'],
  };
}

export const termsOf = (config: ClusterSettings): ProviderTerms => ({
  attributes: config['bid-provider-attributes'],
  auditors: new Set(config['bid-auditors']),
  blockedOwners: config['bid-blocked-owners'],
  allowedOwners: config['bid-allowed-owners'],
  orderAttributes: config['bid-order-attributes'],
});
