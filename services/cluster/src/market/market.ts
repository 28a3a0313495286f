import type { OrderId } from '../model/order.ts';
import type { Price } from '../model/price.ts';
import type { Request } from '../placement/request.ts';
import type { CardGroup, Reason } from '../placement/stock-facts.ts';

/*
 * A place where orders come from and leases are made: the local market, a recording, a chain. It is read, not listened to: what it says now counts, whatever was
 * announced, twice, late or never. Lists throw rather than end early: a short one would read as orders that are gone.
 *
 * What has ended stays so: a bid that is lost or closed, a lease or an order that is closed. So an answer that is older than another may hold somebody up, but never
 * takes anything back; only what has ended is acted on for good.
 */

/** One of the pages that a list consists of. */
export interface MarketPage<T> {
  readonly items: readonly T[];
  /** Of the next page; undefined on the last one: with it the list is complete. */
  readonly next: string | undefined;
  /** How new it is, comparable within one market: a page is at least as new as the first of its list. */
  readonly position: bigint;
  /** Orders of it that have no id by which they could be told of: they are left out. */
  readonly unreadable?: number | undefined;
}

export interface Requirements {
  readonly attributes: ReadonlyMap<string, string>;
  readonly signedByAllOf: readonly string[];
  readonly signedByAnyOf: readonly string[];
}

/** What somebody wants to have. */
export interface MarketOrder {
  readonly order: OrderId;
  readonly request: Request;
  readonly requirements: Requirements;
  readonly maxPrice: Price;
  /** Unit -> endpoints that share a port with others. */
  readonly httpEndpoints: ReadonlyMap<number, number>;
  /** Why nothing can be made of it: `request` is empty then. */
  readonly malformed?: readonly Reason[] | undefined;
  /** Wall clock, milliseconds. */
  readonly createdAt: number;
}

/** Our bid on an order. There is at most one. */
export interface MarketBid {
  readonly order: OrderId;
  readonly price: Price;
  /** Only an open one can still win. */
  readonly state: 'open' | 'won' | 'lost' | 'closed';
  readonly reason?: string | undefined;
}

/** Our lease of an order. Closed is for good. */
export interface MarketLease {
  readonly order: OrderId;
  readonly price: Price;
  readonly state: 'active' | 'closed';
  readonly reason?: string | undefined;
}

/** What the market knows of an order, with what is ours of it. */
export interface KnownOrder {
  readonly order: MarketOrder;
  readonly state: 'open' | 'active' | 'closed';
  /** Absent if there never was one. */
  readonly bid?: MarketBid | undefined;
  readonly lease?: MarketLease | undefined;
}

export interface Offer {
  readonly price: Price;
  /** Unit -> cards that its replicas may get. */
  readonly cards: ReadonlyMap<number, readonly CardGroup[]>;
}

/** What became of a request. `unknown`: it may have been carried out, now or later; ask with `lookUp`, or repeat it. */
export type MarketOutcome<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly reason: Reason }
  | { readonly kind: 'unknown'; readonly reason: Reason };

/** What proves that a caller is an owner. */
export type OwnerKey =
  | { readonly kind: 'certificate'; readonly pem: string; readonly fingerprint: string }
  | { readonly kind: 'secp256k1'; readonly key: Uint8Array; readonly fingerprint: string };

/** The market, to one provider. Nothing of it is called twice at a time for one order. */
export interface Market {
  /** Digits after the point that an amount may have. */
  readonly priceDigits: number;
  /** Orders that are open. */
  orders(page: string | undefined, signal: AbortSignal): Promise<MarketPage<MarketOrder>>;
  /** Our bids that are open or have won. */
  bids(page: string | undefined, signal: AbortSignal): Promise<MarketPage<MarketBid>>;
  /** Our leases that are active. */
  leases(page: string | undefined, signal: AbortSignal): Promise<MarketPage<MarketLease>>;
  /** By the name of the order (`orderName`). One that is absent is not known, which is not "closed". At most 1000 at once. */
  lookUp(orders: readonly OrderId[], signal: AbortSignal): Promise<ReadonlyMap<string, KnownOrder>>;

  /**
   * Calls `wake` at once, and whenever something may have changed. Ends when the signal aborts; throws when it breaks: begun anew, it wakes at once. It is no list: whoever
   * missed it reads anyway, from time to time.
   */
  watch(wake: () => void, signal: AbortSignal): Promise<void>;

  /** Each is idempotent by its order, and none throws. A bid with another price than the one that there is is refused. */
  createBid(order: OrderId, offer: Offer, signal: AbortSignal): Promise<MarketOutcome<MarketBid>>;
  /** Once done, the order can never become our lease, be there a bid or not. Refused when it is one already. */
  closeBid(order: OrderId, reason: string, signal: AbortSignal): Promise<MarketOutcome<MarketBid | undefined>>;
  closeLease(order: OrderId, reason: string, signal: AbortSignal): Promise<MarketOutcome<MarketLease>>;

  keysOf(owner: string, signal: AbortSignal): Promise<readonly OwnerKey[]>;
}
