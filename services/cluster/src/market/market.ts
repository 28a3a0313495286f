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
  /** This provider, as the market knows it. */
  readonly provider: string;
  /** SHA-256 of the manifest that it is to run, hexadecimal, as the market has it now. Undefined where the market does not say. */
  readonly manifestHash?: string | undefined;
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

/** A manifest that came from the market, or from the tenant. */
export interface ReceivedManifest {
  /** JSON with sorted keys, of the whole deployment: its hash is made of these bytes. */
  readonly json: string;
  /** `service/volume` of volumes whose loss the tenant confirmed with it. */
  readonly confirmed: readonly string[];
  /** The market's own word for which one it is; undefined where it has none, and of what a tenant sends. */
  readonly hash?: string | undefined;
}

/** How a lease goes, for its tenant. */
export interface DeliveryReport {
  readonly state: 'Pending' | 'Active' | 'Error' | 'Complete';
  readonly reason: string;
  readonly message: string;
  readonly health: 'starting' | 'healthy' | 'unhealthy' | 'unknown' | 'none';
  /** Of the manifest that is deployed; empty: none is. */
  readonly manifestHash: string;
  /** Why the newest manifest is not deployed; empty: it is. */
  readonly refusal: string;
  /** Of the manifest that the refusal is about. */
  readonly refusedHash: string;
  readonly services: readonly DeliveredService[];
  /** Where this provider serves its tenants. */
  readonly gateway?: DeliveredGateway | undefined;
  /** Wall clock, milliseconds. */
  readonly manifestAt?: number | undefined;
  readonly deployedAt?: number | undefined;
  readonly runningAt?: number | undefined;
}

export interface DeliveredService {
  readonly name: string;
  readonly health: 'starting' | 'healthy' | 'unhealthy' | 'unknown';
  readonly count: number;
  readonly available: number;
  readonly uris: readonly string[];
  readonly problems: readonly string[];
}

export interface DeliveredGateway {
  /** Of REST and WebSocket: `https://provider.example:8443`. */
  readonly uri: string;
  /** `provider.example:8444`; empty where gRPC is not served. */
  readonly grpcAddress: string;
  /** PEM of the authority that its certificate is of, or of the certificate itself; empty: one that every machine trusts. */
  readonly certificateAuthority: string;
}

/** What proves that a caller is an owner. */
export type OwnerKey =
  | { readonly kind: 'certificate'; readonly pem: string; readonly fingerprint: string }
  | { readonly kind: 'secp256k1'; readonly key: Uint8Array; readonly fingerprint: string };

/**
 * The market, to one provider. Calls for one order may overlap: different loops work on its bid, its manifest, its reports and the end of its lease, and one that timed out
 * may still be under way.
 */
export interface Market {
  /** Digits after the point that an amount may have. */
  readonly priceDigits: number;
  /** This provider, as the market knows it. */
  account(signal: AbortSignal): Promise<string>;
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

  /**
   * What the lease is to run, where the market passes that on; undefined where the tenant sends it to the provider, and of a lease that is not active. Throws while it
   * cannot be asked.
   */
  manifestOf(order: OrderId, signal: AbortSignal): Promise<ReceivedManifest | undefined>;
  /**
   * Has the tenant see how the lease goes. A market that shows nothing to tenants does nothing. The same again changes nothing; a closed lease takes `Complete` alone, and
   * an active one anything else.
   */
  report(order: OrderId, delivery: DeliveryReport, signal: AbortSignal): Promise<MarketOutcome<void>>;

  keysOf(owner: string, signal: AbortSignal): Promise<readonly OwnerKey[]>;
}
