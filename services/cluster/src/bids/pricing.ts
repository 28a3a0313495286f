import type { MarketOrder } from '../market/market.ts';
import { decimalDigits, formatDecimal, parseDecimal, roundUp } from '../model/decimal.ts';
import type { Price } from '../model/price.ts';
import type { Plan } from '../placement/plan.ts';
import type { Request, Unit } from '../placement/request.ts';
import type { CardGroup, Reason } from '../placement/stock-facts.ts';

/** What is asked for an order. */
export interface Quote {
  readonly price: Price;
  /** Resource -> its part of the amount, where the price is made of parts. */
  readonly parts: ReadonlyMap<string, string>;
}

export type Quoted = { readonly kind: 'quote'; readonly quote: Quote } | { readonly kind: 'no-price'; readonly reasons: readonly Reason[] };

/** What a price is made for: the order, and the cards that it would get. */
export interface PricedOrder {
  readonly order: MarketOrder;
  readonly plan: Plan;
}

export interface Pricing {
  quote(priced: PricedOrder, signal: AbortSignal): Promise<Quoted>;
}

export const noPrice = (...reasons: readonly Reason[]): Quoted => ({ kind: 'no-price', reasons });

/** An amount as the market takes it, if the order pays so much. */
export function checkedQuote({ maxPrice }: MarketOrder, amount: bigint, digits: number, parts: ReadonlyMap<string, string>): Quoted {
  const rounded = roundUp(amount, Math.min(digits, decimalDigits));
  if (rounded === 0n) return noPrice({ code: 'NoPrice', message: 'its price is zero: set prices with bid-price-cpu-scale and its like' });
  const most = parseDecimal(maxPrice.amount) ?? 0n;
  if (rounded > most) {
    const message = `it pays at most ${maxPrice.amount} ${maxPrice.denom}, and the price is ${formatDecimal(rounded)}`;
    return noPrice({ code: 'PriceTooLow', message });
  }
  return { kind: 'quote', quote: { price: { denom: maxPrice.denom, amount: formatDecimal(rounded) }, parts } };
}

/** For each replica of a unit the groups that its cards may be of; empty where it has none. */
export const cardsOfReplicas = ({ units }: Plan, id: number): readonly (readonly CardGroup[])[] =>
  units.find((unit) => unit.id === id)?.replicas.map(({ cards }) => cards?.groups ?? []) ?? [];

/** One each, however many replicas answer on them. */
export const endpointsOf = ({ httpEndpoints }: MarketOrder, { id, randomPorts = 0, leasedIps = [] }: Unit): number =>
  (httpEndpoints.get(id) ?? 0) + randomPorts + leasedIps.length;

/** Units that name the same address share it. */
export const leasedIpsOf = ({ units }: Request): number => new Set(units.flatMap(({ leasedIps = [] }) => leasedIps)).size;
