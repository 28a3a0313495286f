import {
  type Bid,
  BidSchema,
  type Deployment,
  DeploymentSchema,
  type Lease,
  LeaseSchema,
  type Order,
  OrderSchema,
  OrderState,
  OwnerKeySchema,
} from '@quartermaster/api/market';
import { MetadataSchema } from '@quartermaster/api/private';
import type { Clock } from '@quartermaster/kernel';
import { defineKind, kindRules, openKind } from '@quartermaster/objects';
import type { Sealer } from '@quartermaster/store';
import { bidRules, deploymentIdOf, deploymentRules, type OrderNumbers, orderIdOf, ownerKeyRules } from '../rules/index.ts';
import { closedAt, timeText } from './closed-at.ts';

interface OfOrder {
  readonly spec?: { readonly order?: OrderNumbers | undefined } | undefined;
}

/** A column with an id that is made of the numbers of an order. */
const ofOrder = <M extends OfOrder>(idOf: (order: OrderNumbers) => string) =>
  ({ form: 'text', of: ({ spec }: M): string => (spec?.order === undefined ? '' : idOf(spec.order)) }) as const;

const groupIdOf = ({ dseq, gseq }: OrderNumbers): string => `${dseq}-${gseq}`;
const state = { path: 'status.state', form: 'bigint' } as const;
const metadata = MetadataSchema;

const deploymentKind = defineKind(DeploymentSchema, {
  metadata,
  columns: {
    owner: { path: 'status.owner', form: 'text' },
    state,
    choice: { path: 'spec.choice', form: 'bigint' },
    closed_at: closedAt<Deployment>(),
  },
  rules: deploymentRules,
  usedBy: [],
});

const orderKind = defineKind(OrderSchema, {
  metadata,
  columns: {
    deployment: ofOrder<Order>(deploymentIdOf),
    group_id: ofOrder<Order>(groupIdOf),
    state,
    closed_at: closedAt<Order>(),
    // While it is open.
    expires_at: {
      form: 'text',
      of: ({ status }: Order): string => (status?.state === OrderState.OPEN ? timeText(status.expiresAt) : ''),
    },
  },
  rules: kindRules<Order>(OrderSchema, {}),
  usedBy: [],
});

const bidKind = defineKind(BidSchema, {
  metadata,
  columns: {
    deployment: ofOrder<Bid>(deploymentIdOf),
    order_id: ofOrder<Bid>(orderIdOf),
    provider: { path: 'spec.provider', form: 'text' },
    state,
  },
  rules: bidRules,
  usedBy: [],
});

const leaseKind = defineKind(LeaseSchema, {
  metadata,
  columns: {
    deployment: ofOrder<Lease>(deploymentIdOf),
    order_id: ofOrder<Lease>(orderIdOf),
    group_id: ofOrder<Lease>(groupIdOf),
    owner: { path: 'spec.order.owner', form: 'text' },
    provider: { path: 'spec.provider', form: 'text' },
    state,
    ended_by: { path: 'status.ended_by', form: 'bigint' },
  },
  rules: kindRules<Lease>(LeaseSchema, {}),
  usedBy: [],
});

const ownerKeyKind = (clock: Pick<Clock, 'now'>) =>
  defineKind(OwnerKeySchema, {
    metadata,
    columns: { owner: { path: 'status.owner', form: 'text' }, fingerprint: { path: 'status.fingerprint', form: 'text' } },
    unique: {
      owner_keys_are_unique: { field: 'spec', description: 'the account has this certificate or key already; there is no need to add it' },
    },
    rules: ownerKeyRules(clock),
    usedBy: [],
  });

/** All kinds, by the plural that names tables, routes and events. */
export type Kinds = ReturnType<typeof createKinds>;

export function createKinds(keys: Sealer, clock: Pick<Clock, 'now'>) {
  return {
    deployments: openKind(deploymentKind, keys),
    orders: openKind(orderKind, keys),
    bids: openKind(bidKind, keys),
    leases: openKind(leaseKind, keys),
    owner_keys: openKind(ownerKeyKind(clock), keys),
  };
}
