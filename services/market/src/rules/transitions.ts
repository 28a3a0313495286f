/** What becomes of orders, bids and leases: each function gives a changed copy. */
import { clone, create } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import type { OrderId } from '@quartermaster/api/cluster';
import {
  type Bid,
  BidSchema,
  type BidSpec,
  BidState,
  BidStatusSchema,
  type Deployment,
  DeploymentSchema,
  DeploymentState,
  DeploymentStatusSchema,
  type Group,
  type Lease,
  type LeaseEnd,
  LeaseSchema,
  LeaseState,
  LeaseStatusSchema,
  type Order,
  OrderSchema,
  OrderState,
  OrderStatusSchema,
} from '@quartermaster/api/market';
import { bidIdOf, orderIdOf } from './order-id.ts';

/** Who makes a new object, and when. */
export interface Making {
  readonly owner: string;
  readonly by: string;
  readonly at: Timestamp;
}

/** Why something ends, for people, and when. */
export interface Ending {
  readonly reason: string;
  readonly at: Timestamp;
}

const metadataOf = ({ owner, by, at }: Making) => ({ creationTimestamp: at, creators: [by], tenants: [owner] });

/** The next order of a group. */
export function newOrder(dseq: bigint, { gseq, name, oseq, spec }: Group, making: Making, lifetimeMs: number): Order {
  const order = { owner: making.owner, dseq, gseq, oseq };
  const expiresAt = timestampFromMs(timestampMs(making.at) + lifetimeMs);
  return create(OrderSchema, {
    id: orderIdOf(order),
    metadata: metadataOf(making),
    spec: { order, groupName: name, group: spec },
    status: { state: OrderState.OPEN, expiresAt },
  });
}

/** An open bid; with an ending one that stands for none, and keeps any from being made. */
export function newBid(
  order: OrderId,
  provider: string,
  offer: Partial<Pick<BidSpec, 'price' | 'offer'>>,
  making: Making,
  ending?: Ending,
): Bid {
  return create(BidSchema, {
    id: bidIdOf(order, provider),
    metadata: metadataOf(making),
    spec: { order, provider, ...offer },
    status: { state: ending === undefined ? BidState.OPEN : BidState.CLOSED, ...ended(ending) },
  });
}

export function newLease({ id, spec }: Bid, groupName: string, making: Making): Lease {
  return create(LeaseSchema, {
    id,
    metadata: metadataOf(making),
    spec: { order: spec?.order, provider: spec?.provider ?? '', price: spec?.price, groupName },
    status: { state: LeaseState.ACTIVE },
  });
}

export function withOrderState(order: Order, state: OrderState, ending?: Ending): Order {
  const after = clone(OrderSchema, order);
  after.status = Object.assign(after.status ?? create(OrderStatusSchema), { state }, ended(ending));
  return after;
}

export function withBidCounted(order: Order): Order {
  const after = clone(OrderSchema, order);
  after.status ??= create(OrderStatusSchema);
  after.status.bids += 1;
  return after;
}

export function withBidState(bid: Bid, state: BidState, ending?: Ending): Bid {
  const after = clone(BidSchema, bid);
  after.status = Object.assign(after.status ?? create(BidStatusSchema), { state }, ended(ending));
  return after;
}

/** What becomes of a bid with its order: one that is not the lease is lost. */
export function endedBid(bid: Bid, ending: Ending): Bid {
  return withBidState(bid, bid.status?.state === BidState.ACTIVE ? BidState.CLOSED : BidState.LOST, ending);
}

export function closedLease(lease: Lease, by: LeaseEnd, ending: Ending): Lease {
  const after = clone(LeaseSchema, lease);
  after.status = Object.assign(after.status ?? create(LeaseStatusSchema), { state: LeaseState.CLOSED, endedBy: by }, ended(ending));
  return after;
}

export function closedDeployment(deployment: Deployment, ending: Ending): Deployment {
  const after = clone(DeploymentSchema, deployment);
  after.status = Object.assign(after.status ?? create(DeploymentStatusSchema), { state: DeploymentState.CLOSED }, ended(ending));
  return after;
}

/** The deployment with one of its groups changed. */
export function withGroup(deployment: Deployment, gseq: number, change: Partial<Pick<Group, 'oseq' | 'closedReason'>>): Deployment {
  const after = clone(DeploymentSchema, deployment);
  const group = after.status?.groups.find((each) => each.gseq === gseq);
  if (group !== undefined) Object.assign(group, change);
  return after;
}

const ended = (ending: Ending | undefined) => (ending === undefined ? {} : { closedAt: ending.at, closedReason: ending.reason });
