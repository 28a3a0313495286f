import { codeOf, messageOf } from '@quartermaster/kernel';
import type { Decide } from '../book/decision.ts';
import type { MarketOrder } from '../market/market.ts';
import { parseDecimal } from '../model/decimal.ts';
import type { Reservation } from '../model/reservation.ts';
import { groupKey } from '../placement/card-offer.ts';
import type { Plan } from '../placement/plan.ts';
import type { Reason } from '../placement/stock-facts.ts';
import type { Reserver } from '../reservations/reserver.ts';
import { concernReasons, type ProviderTerms } from './concerns.ts';
import type { ExplainDecline } from './explain-decline.ts';
import { noPrice, type Pricing, type Quote, type Quoted } from './pricing.ts';

export interface ConsiderOptions {
  readonly terms: () => ProviderTerms;
  readonly decide: Decide;
  readonly pricing: Pricing;
  readonly explain?: ExplainDecline | undefined;
}

export type Considered =
  | { readonly kind: 'reserved'; readonly reservation: Reservation; readonly quote: Quote }
  | { readonly kind: 'declined'; readonly reasons: readonly Reason[] };

/**
 * Whether to bid, the cheapest question first: does it concern us, does it fit now, what does it cost. Only then something is reserved. Where the reservation gets other
 * cards than the price was made for, the price is made anew, and if it is higher, nothing came of it.
 */
export async function consider(
  { terms, decide, pricing, explain }: ConsiderOptions,
  reserver: Reserver,
  order: MarketOrder,
  signal: AbortSignal,
): Promise<Considered> {
  const { owner } = order.order;
  const unconcerned = concernReasons(order, terms());
  if (unconcerned.length > 0) return declined(unconcerned);
  const fit = decide(order.request, owner);
  if (fit.kind === 'refused') return declined([...fit.reasons, ...(fit.why === 'does-not-fit' ? (explain?.(order.request) ?? []) : [])]);
  const first = await quoteOf(pricing, order, fit.plan, signal);
  if (first.kind === 'no-price') return declined(first.reasons);
  const reserved = await reserveFor(reserver, order, first.quote, signal);
  if (reserved.kind !== 'reserved' || reserved.reservation.bid === undefined) return reserved;
  const { reservation } = reserved;
  if (cardsKey(reservation.plan) === cardsKey(fit.plan)) return reserved;
  const second = await quoteOf(pricing, order, reservation.plan, signal);
  if (second.kind === 'quote' && amountOf(second.quote) <= amountOf(first.quote)) return reserved;
  // Nobody can have bid on it yet: it is a moment old, and whoever leads next has changed it before.
  await reserver.unreserve(order.order, reservation.uid, signal);
  const message = 'the GPUs on which its price is based are no longer free: the order is considered again';
  return declined(second.kind === 'no-price' ? second.reasons : [{ code: 'CardsTaken', message }]);
}

/** For a price that is not to be discussed any more. */
export async function reserveFor(reserver: Reserver, order: MarketOrder, quote: Quote, signal: AbortSignal): Promise<Considered> {
  const asked = { order: order.order, owner: order.order.owner, request: order.request, bid: quote.price };
  try {
    const answer = await reserver.reserve(asked, signal);
    return answer.kind === 'reserved' ? { ...answer, quote } : declined(answer.reasons);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code !== 'already_exists' && code !== 'invalid_argument') throw thrown;
    return declined([{ code: code === 'already_exists' ? 'ReservedByHand' : 'OrderMalformed', message: messageOf(thrown) }]);
  }
}

async function quoteOf(pricing: Pricing, order: MarketOrder, plan: Plan, signal: AbortSignal): Promise<Quoted> {
  try {
    return await pricing.quote({ order, plan }, signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    return noPrice({ code: 'PriceFailed', message: messageOf(thrown) });
  }
}

const declined = (reasons: readonly Reason[]): Considered => ({ kind: 'declined', reasons });

const amountOf = ({ price }: Quote): bigint => parseDecimal(price.amount) ?? 0n;

/** Equal where replicas get the same cards. */
const cardsKey = ({ units }: Plan): string =>
  JSON.stringify(
    units.map(({ id, replicas }) => [id, replicas.map(({ cards }) => cards?.groups.map(groupKey).toSorted().join() ?? '').toSorted()]),
  );
