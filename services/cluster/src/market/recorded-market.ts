import { jsonEqual } from '@quartermaster/controller';
import { type Clock, StatusError, seededRandom } from '@quartermaster/kernel';
import { parseDecimal } from '../model/decimal.ts';
import type { OrderId } from '../model/order.ts';
import type { Reason } from '../placement/stock-facts.ts';
import { orderName } from '../reservations/order-name.ts';
import type {
  DeliveryReport,
  KnownOrder,
  Market,
  MarketBid,
  MarketLease,
  MarketOrder,
  MarketOutcome,
  MarketPage,
  Offer,
  OwnerKey,
  ReceivedManifest,
} from './market.ts';
import { closedEntry, type RecordedEntry, received, withHash } from './recorded-entry.ts';
import { orderOf, type RecordedLine, recordedOrder } from './recording.ts';

type RequestKind = 'createBid' | 'closeBid' | 'closeLease' | 'report';
export type TenantsDeed = 'accept' | 'accept-another' | 'close-order' | 'close-lease';

/** A market that does what a recording says, the same each time: with our bids and leases, and with the ways in which a market lets its providers down. */
export class RecordedMarket implements Market {
  readonly priceDigits = 18;
  /** Told before a bid takes effect, for tests. */
  onBid: ((order: OrderId) => void) | undefined;
  readonly #clock: Clock;
  readonly #provider: string;
  readonly #lines: readonly RecordedLine[];
  readonly #random = seededRandom(1);
  #entries: ReadonlyMap<string, RecordedEntry> = new Map(); // never changed, but replaced: an old one is what a stale answer tells
  #stale: ReadonlyMap<string, RecordedEntry> | undefined;
  #position = 0n;
  #failing = 0;
  #muted = 0;
  readonly #watchers = new Set<() => void>();
  readonly #requests = { createBid: 0, closeBid: 0, closeLease: 0, report: 0 };
  readonly #pages: Extract<RecordedLine, { readonly pageSize: number }>;

  constructor(lines: readonly RecordedLine[], clock: Clock, provider = 'provider') {
    this.#provider = provider;
    this.#lines = lines;
    this.#clock = clock;
    this.#pages = lines.find((line) => 'pageSize' in line) ?? { pageSize: 1000, shuffled: false };
    for (const line of lines) if ('at' in line) this.#play(line);
  }

  /** All there is, for whoever looks from outside. */
  get known(): ReadonlyMap<string, KnownOrder> {
    return this.#entries;
  }

  /** How our leases go, as tenants see it: order -> the last report. */
  get deliveries(): ReadonlyMap<string, DeliveryReport> {
    return new Map([...this.#entries].flatMap(([name, { delivery }]) => (delivery === undefined ? [] : [[name, delivery] as const])));
  }

  /** An order appears now, with what is to run where the market passes that on. */
  order(order: MarketOrder, manifest?: ReceivedManifest): void {
    this.#put({ order, state: 'open', isWithdrawn: false, manifest });
  }

  /** The tenant changes what is to run. */
  update(order: OrderId, manifest: ReceivedManifest): void {
    const entry = this.#entries.get(orderName(order));
    if (entry !== undefined) this.#put({ ...entry, manifest, lease: entry.lease && withHash(entry.lease, manifest) });
  }

  /** What a tenant does; nothing where it cannot. */
  tenant(deed: TenantsDeed, order: OrderId): void {
    const entry = this.#entries.get(orderName(order));
    if (entry === undefined) return;
    const { bid, lease } = entry;
    if (deed === 'close-lease') {
      if (lease?.state === 'active') this.#put(closedEntry(entry, lease, 'the tenant closed the lease'));
      return;
    }
    if (entry.state !== 'open') return;
    if (deed === 'accept') {
      if (bid?.state !== 'open') return;
      this.#put({
        ...entry,
        state: 'active',
        bid: { ...bid, state: 'won' },
        lease: withHash({ order, provider: this.#provider, price: bid.price, state: 'active' }, entry.manifest),
      });
      this.#follow('lease', order);
      return;
    }
    const reason = deed === 'close-order' ? 'the order was closed' : 'another bid was taken';
    this.#put({
      ...entry,
      state: deed === 'close-order' ? 'closed' : 'active',
      bid: bid && (bid.state === 'open' ? { ...bid, state: 'lost', reason } : bid),
    });
  }

  async account(): Promise<string> {
    this.#read();
    return this.#provider;
  }

  async orders(page: string | undefined): Promise<MarketPage<MarketOrder>> {
    return this.#page(page, (entry) => (entry.state === 'open' ? entry.order : undefined));
  }

  async bids(page: string | undefined): Promise<MarketPage<MarketBid>> {
    return this.#page(page, ({ bid }) => (bid?.state === 'open' || bid?.state === 'won' ? bid : undefined));
  }

  async leases(page: string | undefined): Promise<MarketPage<MarketLease>> {
    return this.#page(page, ({ lease }) => (lease?.state === 'active' ? lease : undefined));
  }

  async lookUp(orders: readonly OrderId[]): Promise<ReadonlyMap<string, KnownOrder>> {
    const entries = this.#read();
    return new Map(
      orders.map(orderName).flatMap((name) => {
        const entry = entries.get(name);
        return entry === undefined ? [] : [[name, entry] as const];
      }),
    );
  }

  async watch(wake: () => void, signal: AbortSignal): Promise<void> {
    this.#watchers.add(wake);
    wake();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#watchers.delete(wake);
  }

  async createBid(order: OrderId, { price }: Offer): Promise<MarketOutcome<MarketBid>> {
    return this.#request('createBid', order, (entry) => {
      const { bid, state, isWithdrawn } = entry;
      const { denom, amount: most } = entry.order.maxPrice;
      const [amount, max] = [price.amount, most].map(parseDecimal);
      if (amount === undefined) return refused('PriceInvalid', 'the price is no decimal number of at most 18 digits after the point');
      if (bid !== undefined) {
        return parseDecimal(bid.price.amount) === amount && bid.price.denom === price.denom
          ? done(bid)
          : refused('BidExists', `there is a bid of ${bid.price.amount} already`);
      }
      if (state !== 'open' || isWithdrawn) return refused('OrderNotOpen', 'the order is not open');
      if (price.denom !== denom || max === undefined || amount > max)
        return refused('PriceTooHigh', `the order pays ${most} ${denom} at most`);
      this.onBid?.(order);
      const made: MarketBid = { order, price, state: 'open' };
      this.#put({ ...entry, bid: made });
      this.#follow('bid', order);
      return done(made);
    });
  }

  async closeBid(order: OrderId, reason: string): Promise<MarketOutcome<MarketBid | undefined>> {
    return this.#request('closeBid', order, (entry) => {
      if (entry.lease?.state === 'active') return refused('LeaseExists', 'the bid has become a lease: close that');
      const bid: MarketBid | undefined = entry.bid?.state === 'open' ? { ...entry.bid, state: 'closed', reason } : entry.bid;
      if (bid !== entry.bid || !entry.isWithdrawn) this.#put({ ...entry, bid, isWithdrawn: true });
      return done(bid);
    });
  }

  async closeLease(order: OrderId, reason: string): Promise<MarketOutcome<MarketLease>> {
    return this.#request('closeLease', order, (entry) => {
      const { lease } = entry;
      if (lease === undefined) return refused('LeaseUnknown', 'there is no such lease');
      if (lease.state === 'closed') return done(lease);
      const after = closedEntry(entry, lease, reason);
      this.#put(after);
      return done(after.lease ?? lease);
    });
  }

  async manifestOf(order: OrderId): Promise<ReceivedManifest | undefined> {
    const entry = this.#read().get(orderName(order));
    return entry?.lease?.state === 'active' ? entry.manifest : undefined;
  }

  async report(order: OrderId, delivery: DeliveryReport): Promise<MarketOutcome<void>> {
    return this.#request('report', order, (entry) => {
      if (entry.lease === undefined) return refused('LeaseUnknown', 'there is no such lease');
      if ((entry.lease.state === 'closed') !== (delivery.state === 'Complete'))
        return refused('LeaseState', `the lease is ${entry.lease.state}: that it is ${delivery.state} cannot be said of it`);
      // Of its own words it is not woken.
      if (!jsonEqual(entry.delivery, delivery)) this.#keep({ ...entry, delivery });
      return done(undefined);
    });
  }

  async keysOf(): Promise<readonly OwnerKey[]> {
    return [];
  }

  #play(line: Extract<RecordedLine, { readonly at: number }>): void {
    const later = (ms: number, work: () => void): void => void this.#clock.schedule(ms, work);
    later(line.at, () => {
      if ('order' in line)
        this.order(recordedOrder(line, this.#clock.now()), line.manifest === undefined ? undefined : received(line.manifest));
      else if ('update' in line) this.update(orderOf(line.update), received(line.manifest, line.confirmed));
      else if ('tenant' in line) this.tenant(line.tenant, orderOf(line.of));
      else if ('wake' in line) for (let times = 0; times < line.wake; times += 1) this.#wake();
      else this.#gap(line, later);
    });
  }

  #gap({ gap, forMs }: Extract<RecordedLine, { readonly gap: string }>, later: (ms: number, work: () => void) => void): void {
    if (gap === 'fail') this.#failing += 1;
    if (gap === 'mute') this.#muted += 1;
    const told = this.#entries;
    if (gap === 'stale') this.#stale ??= told;
    later(forMs, () => {
      if (gap === 'fail') this.#failing -= 1;
      if (gap === 'mute') this.#muted -= 1;
      if (gap === 'stale' && this.#stale === told) this.#stale = undefined;
      this.#wake();
    });
  }

  #follow(what: 'bid' | 'lease', order: OrderId): void {
    for (const line of this.#lines) {
      if (!('after' in line) || line.after !== what || orderName(orderOf(line.of)) !== orderName(order)) continue;
      this.#clock.schedule(line.afterMs, () => this.tenant(line.tenant, order));
    }
  }

  #put(entry: RecordedEntry): void {
    this.#keep(entry);
    this.#wake();
  }

  #keep(entry: RecordedEntry): void {
    this.#position += 1n;
    this.#entries = new Map(this.#entries).set(orderName(entry.order.order), entry);
  }

  #wake(): void {
    if (this.#muted === 0) for (const wake of [...this.#watchers]) wake();
  }

  #read(): ReadonlyMap<string, RecordedEntry> {
    if (this.#failing > 0) throw new StatusError('unavailable', 'the recorded market does not answer now');
    return this.#stale ?? this.#entries;
  }

  /** A token is where the next page begins among all orders there ever were: those keep their places, so that none is left out. */
  #page<T>(token: string | undefined, pick: (entry: RecordedEntry) => NonNullable<T> | undefined): MarketPage<T> {
    const { pageSize, shuffled } = this.#pages;
    const entries = [...this.#read().values()];
    const items: T[] = [];
    let at = Number(token ?? 0);
    // What was on the page before comes again.
    for (at -= shuffled && at > 0 ? 1 : 0; at < entries.length && items.length <= pageSize; at += 1) {
      const item = pick(entries[at] as RecordedEntry);
      if (item !== undefined) items.push(item);
    }
    if (shuffled) items.sort(() => this.#random.next() - 0.5);
    return { items, next: at < entries.length ? String(at) : undefined, position: this.#position };
  }

  #request<T>(kind: RequestKind, order: OrderId, effect: (entry: RecordedEntry) => MarketOutcome<T>): MarketOutcome<T> {
    this.#requests[kind] += 1;
    const nth = this.#requests[kind];
    const lost = this.#lines.find((line) => 'lose' in line && line.of === kind && line.nth === nth);
    const unknown = { kind: 'unknown', reason: { code: 'MarketUnknown', message: 'the recorded market did not answer' } } as const;
    if (this.#failing > 0 || (lost !== undefined && 'lose' in lost && lost.lose === 'request')) return unknown;
    const entry = this.#entries.get(orderName(order));
    const outcome = entry === undefined ? refused('OrderUnknown', 'the market does not know the order') : effect(entry);
    return lost === undefined ? outcome : unknown;
  }
}

const done = <T>(value: T): MarketOutcome<T> => ({ kind: 'done', value });
const refused = (code: Reason['code'], message: string): { readonly kind: 'refused'; readonly reason: Reason } => ({
  kind: 'refused',
  reason: { code, message },
});
