/** What the processes of this benchmark tell each other. */

/** The account that bids. */
export const provider = 'bench-provider';

export interface MarketReady {
  readonly address: string;
  /** Of the provider. */
  readonly token: string;
}

/** To the market: place so many orders at once and answer with `Bidding` when there is a bid on each; or close them all, and say so. */
export type MarketRequest = { readonly kind: 'trade'; readonly orders: number } | { readonly kind: 'close' };

/** By the times that the market has written down for orders and bids. */
export interface Bidding {
  /** From the first order to the last bid. */
  readonly bidsPerSecond: number;
  /** From an order to its bid. */
  readonly p99Ms: number;
}

/** To the provider: say so when nothing is reserved any more and every decision tells of an end. */
export interface ProviderRequest {
  readonly kind: 'rest';
}
