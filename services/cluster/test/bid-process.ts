import { Controller } from '@quartermaster/controller';
import { type Clock, seededRandom, silentLog } from '@quartermaster/kernel';
import type { BidDecision } from '../src/bids/bid-decision.ts';
import { hasEnded } from '../src/bids/bid-decision.ts';
import { BidEngine, type BidEngineOptions } from '../src/bids/bid-engine.ts';
import type { ProviderTerms } from '../src/bids/concerns.ts';
import { MarketView } from '../src/bids/market-view.ts';
import { type PriceScale, scalePricing } from '../src/bids/price-scale.ts';
import type { Pricing } from '../src/bids/pricing.ts';
import { decideBy } from '../src/book/decide.ts';
import type { ReservationBook } from '../src/book/reservation-book.ts';
import type { Market } from '../src/market/market.ts';
import { parseDecimal } from '../src/model/decimal.ts';
import type { Reservation } from '../src/model/reservation.ts';
import type { PlacingOptions } from '../src/placement/place.ts';
import type { NodeFacts } from '../src/placement/stock-facts.ts';
import { orderName } from '../src/reservations/order-name.ts';
import { MemoryReserver } from './memory-reserver.ts';
import { bookOf, noLimits } from './sample-book.ts';

/** What a crash leaves behind. */
export interface Durable {
  readonly reservations: Map<string, Reservation>;
  readonly decisions: Map<string, BidDecision>;
}

export const openTerms: ProviderTerms = {
  attributes: new Map(),
  auditors: new Set(),
  blockedOwners: [],
  allowedOwners: [],
  orderAttributes: new Map(),
};

const price = (text: string): bigint => parseDecimal(text) ?? 0n;

export const sampleScale: PriceScale = {
  denom: 'uakt',
  cpu: price('0.001'),
  memory: price('0.002'),
  storage: new Map([['default', price('0.0001')]]),
  gpu: new Map([['*', price('100')]]),
  endpoint: price('0.5'),
  ip: price('5'),
};

export interface BidProcessOptions {
  readonly market: Market;
  readonly durable: Durable;
  readonly clock: Clock;
  readonly nodes: readonly NodeFacts[];
  /** Dies at the n-th point: before or after something takes effect outside of it. */
  readonly dieAt?: number | undefined;
  readonly terms?: ProviderTerms | undefined;
  readonly pricing?: Pricing | undefined;
  readonly bidTimeoutMs?: number | undefined;
  /** By which objects are made later than our clock says. */
  readonly serverAheadMs?: number | undefined;
  readonly placing?: PlacingOptions | undefined;
  readonly leaseStand?: BidEngineOptions['leaseStand'];
}

/** The bid engine with a book and reservations in memory, as the leader runs it, until it is stopped or dies where it is told to. */
export class BidProcess {
  readonly book: ReservationBook;
  readonly view: MarketView;
  points = 0;
  isDead = false;
  /** What whoever listens was told of. */
  readonly announced: string[] = [];
  readonly #dieAt: number | undefined;
  readonly #ending = new AbortController();

  constructor(options: BidProcessOptions) {
    const {
      market,
      durable,
      clock,
      nodes,
      dieAt,
      terms = openTerms,
      pricing,
      bidTimeoutMs = 300_000,
      serverAheadMs = 0,
      placing,
      leaseStand,
    } = options;
    this.#dieAt = dieAt;
    this.book = bookOf(nodes);
    const decide = decideBy(this.book, { ...placing, limits: noLimits });
    const serverClock = { now: () => clock.now() + serverAheadMs };
    const reserver = new MemoryReserver(durable.reservations, this.book, decide, serverClock, () => this.#point());
    const through: Market = this.#through(market);
    const random = seededRandom(7);
    const common = { clock, random, log: silentLog };
    this.view = new MarketView({ market: through, readEveryMs: 30_000, deadlineMs: 10_000, ...common });
    const engine = new BidEngine({
      ...{ market: through, view: this.view, book: this.book, reserver: () => reserver, deadlineMs: 10_000, bidTimeoutMs, decide },
      considersAtOnce: 6,
      leaseStand,
      ...{ terms: () => terms, pricing: pricing ?? scalePricing(sampleScale, market.priceDigits), clock, log: silentLog },
      announce: (what, order) => void this.announced.push(`${what} ${orderName(order)}`),
      records: {
        of: (name) => durable.decisions.get(name),
        put: async (decision) => {
          if (durable.decisions.get(decision.name) === decision) return;
          await this.#point();
          durable.decisions.set(decision.name, decision);
          await this.#point();
        },
      },
    });
    const own = (): Iterable<string> => [
      ...durable.reservations.keys(),
      ...[...durable.decisions.values()].filter((each) => !hasEnded(each)).map(({ name }) => name),
    ];
    const ownSource = {
      isSynced: () => true,
      whenSynced: async () => {},
      subscribe: (listener: { key(key: string): void }) => {
        for (const name of own()) listener.key(name);
        return () => {};
      },
      visitAll: (listener: { key(key: string): void }) => {
        for (const name of own()) listener.key(name);
      },
    };
    const controller = new Controller({
      ...{ reconciler: engine, sources: [this.view.source, ownSource], workers: 8, fullPassIntervalMs: 30_000 },
      ...common,
    });
    void this.view.run(this.#ending.signal);
    void controller.run(this.#ending.signal);
  }

  stop(): void {
    this.isDead = true;
    this.#ending.abort();
  }

  async #point(): Promise<void> {
    this.points += 1;
    if (this.points === this.#dieAt) this.stop();
    if (this.isDead) await new Promise(() => {});
  }

  #through(market: Market): Market {
    const around = async <T>(call: () => Promise<T>): Promise<T> => {
      await this.#point();
      const answer = await call();
      await this.#point();
      return answer;
    };
    return {
      priceDigits: market.priceDigits,
      account: (...args) => market.account(...args),
      orders: (...args) => market.orders(...args),
      bids: (...args) => market.bids(...args),
      leases: (...args) => market.leases(...args),
      lookUp: (...args) => market.lookUp(...args),
      watch: (...args) => market.watch(...args),
      createBid: (...args) => around(() => market.createBid(...args)),
      closeBid: (...args) => around(() => market.closeBid(...args)),
      closeLease: (...args) => around(() => market.closeLease(...args)),
      manifestOf: (...args) => market.manifestOf(...args),
      report: (...args) => market.report(...args),
      keysOf: (...args) => market.keysOf(...args),
    };
  }
}
