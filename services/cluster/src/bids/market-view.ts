import type { Source, SourceListener } from '@quartermaster/controller';
import { backoffMs, type Clock, coalesced, type Log, messageOf, pause, type Random, StatusError } from '@quartermaster/kernel';
import type { KnownOrder, Market, MarketBid, MarketLease, MarketOrder, MarketPage } from '../market/market.ts';
import type { OrderId } from '../model/order.ts';
import type { Reason } from '../placement/stock-facts.ts';
import { orderName } from '../reservations/order-name.ts';
import { within } from './deadline.ts';
import type { SeenOrder } from './next-step.ts';

export interface MarketViewOptions {
  readonly market: Market;
  /** How often it is read when nothing wakes us. */
  readonly readEveryMs: number;
  /** Of each call. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface MarketViewStatus {
  /** When all of it was last read, wall clock; undefined before. */
  readonly readAt: number | undefined;
  /** Why the last try to read it failed. */
  readonly problem: Reason | undefined;
  readonly openOrders: number;
  readonly openBids: number;
  readonly leases: number;
  /** Orders that have no id. */
  readonly unreadable: number;
}

interface Told {
  readonly at: number;
  readonly known?: KnownOrder | undefined;
  readonly bid?: MarketBid | undefined;
  readonly lease?: MarketLease | undefined;
  readonly withdrawn?: Reason | undefined;
  readonly isAsked?: boolean | undefined;
}

interface Lists {
  readonly orders: ReadonlyMap<string, MarketOrder>;
  readonly bids: ReadonlyMap<string, MarketBid>;
  readonly leases: ReadonlyMap<string, MarketLease>;
  readonly unreadable: number;
}

const nothing: Lists = { orders: new Map(), bids: new Map(), leases: new Map(), unreadable: 0 };
/** Bursts of wake-ups are one read. */
const wakeIntervalMs = 100;
const restsPerRead = 3;
const longestRestMs = 2_000;
/** The read whose failure is logged, after so many others. */
const loggedFailure = 3;
/** Between reads that fail. */
const readBackoff = { firstMs: 500, maxMs: 30_000, factor: 2 };
const watchBackoff = { firstMs: 200, maxMs: 10_000, factor: 2 };
const maxPages = 1_000;

/**
 * What the market says, as it was last read completely, with the answers to our own requests since. A read that fails changes nothing: what is known stays known.
 */
export class MarketView {
  /** Names of orders that are open, or of which something is ours: all, then those of which something else is told. */
  readonly source: Source;
  readonly #options: MarketViewOptions;
  #lists: Lists = nothing;
  readonly #told = new Map<string, Told>(); // order -> what was answered of it alone
  readonly #listeners = new Set<SourceListener>();
  #read = Promise.withResolvers<void>();
  #sequence = 0;
  #readAt: number | undefined;
  #problem: Reason | undefined;
  #wake: () => void = () => {};

  constructor(options: MarketViewOptions) {
    this.#options = options;
    const visitAll = (listener: SourceListener): void => {
      const { orders, bids, leases } = this.#lists;
      for (const name of new Set([...orders.keys(), ...bids.keys(), ...leases.keys()])) listener.key(name);
    };
    this.source = {
      isSynced: () => this.#readAt !== undefined,
      whenSynced: async (signal) => {
        const { promise, reject } = Promise.withResolvers<never>();
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        if (signal.aborted) reject(signal.reason);
        await Promise.race([this.#read.promise, promise]);
      },
      subscribe: (listener) => {
        this.#listeners.add(listener);
        visitAll(listener);
        return () => this.#listeners.delete(listener);
      },
      visitAll,
    };
  }

  status(): MarketViewStatus {
    const { orders, bids, leases, unreadable } = this.#lists;
    const openBids = [...bids.values()].filter(({ state }) => state === 'open').length;
    return { readAt: this.#readAt, problem: this.#problem, openOrders: orders.size, openBids, leases: leases.size, unreadable };
  }

  /** Why what is known may not be so any more; undefined when the last read succeeded. */
  get problem(): Reason | undefined {
    return this.#problem;
  }

  of(name: string): SeenOrder {
    const { orders, bids, leases } = this.#lists;
    const told = this.#told.get(name);
    const lease = latest([leases.get(name), told?.known?.lease, told?.lease], ({ state }) => state === 'closed');
    const bid = latest([bids.get(name), told?.known?.bid, told?.bid], ({ state }) => state !== 'open');
    const listed = lease?.state === 'active' ? 'active' : orders.has(name) ? 'open' : 'unknown';
    return {
      state: told?.known?.state ?? listed,
      order: orders.get(name) ?? told?.known?.order,
      bid,
      lease,
      withdrawn: told?.withdrawn,
      isAsked: told?.isAsked === true,
    };
  }

  /** Asks for one order, of which lists do not say enough. Throws `unavailable` of an answer that is older than another. */
  async ask(order: OrderId, signal: AbortSignal): Promise<void> {
    const name = orderName(order);
    const known = (await this.#call(signal, (limited) => this.#options.market.lookUp([order], limited))).get(name);
    if (known !== undefined && known.bid?.state !== 'closed' && this.of(name).bid?.state === 'closed')
      throw new StatusError('unavailable', `the market does not know yet that the bid on ${name} is closed, which it has said before`);
    this.#tell(name, { known, isAsked: true });
  }

  /** What a request of ours was answered. */
  answered(order: OrderId, answer: Pick<Told, 'bid' | 'lease' | 'withdrawn'>): void {
    this.#tell(orderName(order), { ...answer, isAsked: false });
  }

  /** Reads until the signal aborts: at once, whenever the market wakes us, and from time to time. Then it knows nothing, as before. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, readEveryMs } = this.#options;
    const watching = this.#watch(signal);
    for (let failures = 0; !signal.aborted; ) {
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const startedAt = clock.monotonic();
      failures = (await this.#readAll(signal, failures)) ? 0 : failures + 1;
      // However often we are woken, and however much there is: most of the time is left to others.
      const restMs = Math.min((clock.monotonic() - startedAt) * restsPerRead, longestRestMs);
      if (restMs > 0) await pause(clock, restMs, signal);
      const waitMs = failures === 0 ? readEveryMs : Math.min(backoffMs(failures, readBackoff, random), readEveryMs);
      const waiting = new AbortController();
      await Promise.race([woken, pause(clock, waitMs, AbortSignal.any([signal, waiting.signal]))]);
      waiting.abort();
    }
    await watching;
    this.#lists = nothing;
    this.#told.clear();
    [this.#readAt, this.#problem, this.#read] = [undefined, undefined, Promise.withResolvers<void>()];
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { market, clock, random, log } = this.#options;
    const waking = coalesced(clock, wakeIntervalMs, () => this.#wake());
    for (let failures = 0; !signal.aborted; failures += 1) {
      const startedAt = clock.monotonic();
      await market.watch(waking.trigger, signal).catch((thrown: unknown) => {
        if (!signal.aborted) log.debug('the market cannot be watched', { error: messageOf(thrown) });
      });
      if (clock.monotonic() - startedAt > watchBackoff.maxMs) failures = 0;
      await pause(clock, backoffMs(failures + 1, watchBackoff, random), signal);
    }
    waking.stop();
  }

  /** Whether it could be read. One that fails once may be starting: that is told where somebody looks, and logged when it goes on. */
  async #readAll(signal: AbortSignal, failures: number): Promise<boolean> {
    const { market, clock, log } = this.#options;
    const startedAt = this.#sequence;
    try {
      const orders = await this.#pages((page, limited) => market.orders(page, limited), signal);
      const bids = await this.#pages((page, limited) => market.bids(page, limited), signal);
      const leases = await this.#pages((page, limited) => market.leases(page, limited), signal);
      this.#take({ orders: orders.items, bids: bids.items, leases: leases.items, unreadable: orders.unreadable }, startedAt);
      this.#readAt = clock.now();
      this.#read.resolve();
      if (failures > loggedFailure) log.info('the market answers again');
      this.#problem = undefined;
      return true;
    } catch (thrown) {
      if (signal.aborted) return false;
      const message = `the market cannot be read, and what it says is not known: ${messageOf(thrown)}`;
      if (failures === loggedFailure) log.warn('the market cannot be read', { error: messageOf(thrown) });
      this.#problem = { code: 'MarketUnknown', message };
      return false;
    }
  }

  async #pages<T extends { readonly order: OrderId }>(
    list: (page: string | undefined, signal: AbortSignal) => Promise<MarketPage<T>>,
    signal: AbortSignal,
  ): Promise<{ readonly items: ReadonlyMap<string, T>; readonly unreadable: number }> {
    const items = new Map<string, T>();
    let unreadable = 0;
    let next: string | undefined;
    for (let pages = 0; pages < maxPages; pages += 1) {
      const page = next;
      const found = await this.#call(signal, (limited) => list(page, limited));
      for (const item of found.items) items.set(orderName(item.order), item);
      unreadable += found.unreadable ?? 0;
      next = found.next;
      if (next === undefined) return { items, unreadable };
    }
    throw new Error(`a list of the market has more than ${maxPages} pages`);
  }

  /** What was answered while it was being read may be newer, and stays. */
  #take(lists: Lists, startedAt: number): void {
    const before = this.#lists;
    this.#lists = lists;
    const changed = new Set<string>();
    for (const [name, { at }] of this.#told) if (at <= startedAt) this.#told.delete(name);
    for (const name of new Set([...namesOf(before), ...namesOf(lists)]))
      if (stateIn(before, name) !== stateIn(lists, name)) changed.add(name);
    for (const listener of this.#listeners) for (const name of changed) listener.key(name);
  }

  #tell(name: string, told: Omit<Told, 'at'>): void {
    this.#sequence += 1;
    this.#told.set(name, { ...this.#told.get(name), ...told, at: this.#sequence });
  }

  #call<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return within(this.#options.clock, this.#options.deadlineMs, signal, call);
  }
}

const namesOf = ({ orders, bids, leases }: Lists): readonly string[] => [...orders.keys(), ...bids.keys(), ...leases.keys()];

const stateIn = ({ orders, bids, leases }: Lists, name: string): string =>
  `${orders.has(name)} ${bids.get(name)?.state} ${leases.get(name)?.state} ${leases.get(name)?.manifestHash}`;

/** The first that has ended, or else the last. */
function latest<T>(found: readonly (T | undefined)[], hasEnded: (one: T) => boolean): T | undefined {
  const known = found.filter((one) => one !== undefined);
  return known.find(hasEnded) ?? known.at(-1);
}
