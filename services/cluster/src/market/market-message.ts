import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import {
  type Bid,
  BidState,
  type CreateBidRequestSchema,
  type KnownOrder as KnownOrderMessage,
  type Lease,
  LeaseState,
  type Order,
  OrderState,
  type OwnerKey as OwnerKeyMessage,
  type Price as PriceMessage,
  type ReportDeliveryRequestSchema,
} from '@quartermaster/api/market';
import { fieldViolationsOf, messageOf, StatusError } from '@quartermaster/kernel';
import type { OrderId } from '../model/order.ts';
import type { Price } from '../model/price.ts';
import type { Request } from '../placement/request.ts';
import type { Reason } from '../placement/stock-facts.ts';
import { groupMessage } from '../serve/plan-message.ts';
import { orderMessage, orderOf, requestOf } from '../serve/request-message.ts';
import type { DeliveryReport, KnownOrder, MarketBid, MarketLease, MarketOrder, Offer, OwnerKey } from './market.ts';

/** Undefined where it has no id by which it could be told of. One that breaks another rule says so. */
export function readOrder({ spec, metadata }: Order): MarketOrder | undefined {
  const order = idOf(spec?.order);
  if (order === undefined) return undefined;
  const { resources, requirements, maxPrice, httpEndpoints = {} } = spec?.group ?? {};
  const [request, malformed] = readRequest(resources);
  return {
    order,
    request,
    malformed,
    requirements: {
      attributes: new Map(Object.entries(requirements?.attributes ?? {})),
      signedByAllOf: requirements?.signedByAllOf ?? [],
      signedByAnyOf: requirements?.signedByAnyOf ?? [],
    },
    maxPrice: priceOf(maxPrice),
    httpEndpoints: new Map(Object.entries(httpEndpoints).map(([unit, count]) => [Number(unit), count])),
    createdAt: metadata?.creationTimestamp === undefined ? 0 : timestampMs(metadata.creationTimestamp),
  };
}

/** What is asked for, and why that is nothing where it breaks a rule. */
export function readRequest(message: Parameters<typeof requestOf>[0]): readonly [Request, readonly Reason[] | undefined] {
  try {
    return [requestOf(message), undefined];
  } catch (thrown) {
    const found = fieldViolationsOf(thrown).map(({ field, description }) => ({
      code: 'OrderMalformed',
      message: `${field} ${description}`,
    }));
    return [{ units: [] }, found.length > 0 ? found : [{ code: 'OrderMalformed', message: messageOf(thrown) }]];
  }
}

function idOf(message: Parameters<typeof orderOf>[0]): OrderId | undefined {
  try {
    return orderOf(message);
  } catch {
    return undefined;
  }
}

const priceOf = (price: PriceMessage | undefined): Price => ({ denom: price?.denom ?? '', amount: price?.amount ?? '' });

const bidStates: Readonly<Partial<Record<BidState, MarketBid['state']>>> = {
  [BidState.OPEN]: 'open',
  [BidState.ACTIVE]: 'won',
  [BidState.LOST]: 'lost',
  [BidState.CLOSED]: 'closed',
};

/** Throws `unavailable` of one that cannot be read: what is ours is not left out. */
export function readBid({ id, spec, status }: Bid): MarketBid {
  const state = bidStates[status?.state ?? BidState.UNSPECIFIED];
  if (state === undefined) throw unreadable(`bid ${id}`, `its state is ${status?.state}`);
  return { order: ownOrder(`bid ${id}`, spec?.order), price: priceOf(spec?.price), state, reason: unlessEmpty(status?.closedReason) };
}

export function readLease({ id, spec, status }: Lease): MarketLease {
  const { state: told = LeaseState.UNSPECIFIED, closedReason } = status ?? {};
  const state = told === LeaseState.ACTIVE ? 'active' : told === LeaseState.CLOSED ? 'closed' : undefined;
  if (state === undefined) throw unreadable(`lease ${id}`, `its state is ${told}`);
  return {
    order: ownOrder(`lease ${id}`, spec?.order),
    provider: spec?.provider ?? '',
    manifestHash: unlessEmpty(status?.manifestHash),
    price: priceOf(spec?.price),
    state,
    reason: unlessEmpty(closedReason),
  };
}

const orderStates: Readonly<Partial<Record<OrderState, KnownOrder['state']>>> = {
  [OrderState.OPEN]: 'open',
  [OrderState.ACTIVE]: 'active',
  [OrderState.CLOSED]: 'closed',
};

export function readKnown({ order, bid, lease }: KnownOrderMessage): KnownOrder {
  const read = order && readOrder(order);
  const state = orderStates[order?.status?.state ?? OrderState.UNSPECIFIED];
  if (read === undefined || state === undefined) throw unreadable(`order ${order?.id}`, 'it has no id, or no state');
  return { order: read, state, bid: bid && readBid(bid), lease: lease && readLease(lease) };
}

export function readKey({ spec, status }: OwnerKeyMessage): OwnerKey | undefined {
  const fingerprint = status?.fingerprint ?? '';
  if (spec?.key.case === 'certificate') return { kind: 'certificate', pem: spec.key.value, fingerprint };
  if (spec?.key.case === 'publicKey') return { kind: 'secp256k1', key: Buffer.from(spec.key.value, 'base64'), fingerprint };
  return undefined;
}

export function bidRequest(order: OrderId, { price, cards }: Offer): MessageInitShape<typeof CreateBidRequestSchema> {
  const offer = [...cards].map(([unit, groups]) => ({ unit, cards: groups.map(groupMessage) }));
  return { order: orderMessage(order), price: { ...price }, offer };
}

export function reportRequest(order: OrderId, delivery: DeliveryReport): MessageInitShape<typeof ReportDeliveryRequestSchema> {
  const { services, manifestAt, deployedAt, runningAt, ...said } = delivery;
  const at = (ms: number | undefined) => (ms === undefined ? undefined : timestampFromMs(ms));
  return {
    order: orderMessage(order),
    delivery: {
      ...said,
      services: services.map(({ uris, problems, ...service }) => ({ ...service, uris: [...uris], problems: [...problems] })),
      manifestAt: at(manifestAt),
      deployedAt: at(deployedAt),
      runningAt: at(runningAt),
    },
  };
}

function ownOrder(what: string, message: Parameters<typeof orderOf>[0]): OrderId {
  const order = idOf(message);
  if (order === undefined) throw unreadable(what, 'it names no order');
  return order;
}

const unlessEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

const unreadable = (what: string, why: string): StatusError =>
  new StatusError('unavailable', `${what} of the market cannot be read: ${why}`);
