import type { BidDecisionJson, ListBidDecisionsResponseJson } from '@quartermaster/api/cluster';
import { useMemo } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { leaseKind, may, orderKind } from '../api/object-kind.ts';
import { type Answered, listsKey, useAnswer, useObjects } from '../api/use-object.ts';
import { useSession } from '../session/session.ts';
import { usePolled } from '../upstreams/use-cluster-service.ts';
import { marketPath } from '../upstreams/use-market.ts';
import { joinOrders, type TradedOrder } from './join-orders.ts';
import type { BidObject, LeaseObject, OrderObject } from './market-objects.ts';

export interface TradedOrders {
  /** Undefined until the market has answered. */
  readonly rows: readonly TradedOrder[] | undefined;
  /** Whether there is more than was read. */
  readonly isMore: boolean;
  readonly problem: ApiError | undefined;
  readonly leases: readonly LeaseObject[];
}

const atOnce = 1_000;

/** The page of a provider's list, under a name of its own in the answer. */
type ProviderPage<Name extends string, T> = Readonly<Record<Name, readonly T[]>> & { readonly next_page_token: string };

function useProviderList<Name extends string, T>(name: Name, isWanted: boolean): Answered<ProviderPage<Name, T>> {
  return useAnswer(
    [...listsKey(orderKind), 'of provider', name],
    `${marketPath}/provider/${name}`,
    { query: { page_size: atOnce } },
    { isWanted },
  );
}

/** All orders for those who look after the market; for a provider those that are open, and those that it bid on. */
export function useTradedOrders(): TradedOrders {
  const session = useSession();
  const isProvider = session.marketRole === 'provider';
  const isReader = !isProvider && may(session, 'List', orderKind);
  const wanted = { isWanted: isReader };
  const all = useObjects<OrderObject>(orderKind, { order: 'metadata.creation_timestamp desc' }, wanted);
  const active = useObjects<LeaseObject>(leaseKind, { filter: 'this.status.state == LEASE_STATE_ACTIVE' }, wanted);
  const open = useProviderList<'orders', OrderObject>('orders', isProvider);
  const own = useProviderList<'bids', BidObject>('bids', isProvider);
  const leased = useProviderList<'leases', LeaseObject>('leases', isProvider);
  const decided = useDecisions();
  const orders = isProvider ? open.data?.orders : all.data?.items;
  const leases = isProvider ? leased.data?.leases : active.data?.items;
  const bids = isProvider ? own.data?.bids : noBids;
  const cursors = isProvider
    ? [open, own, leased].map(({ data }) => data?.next_page_token)
    : [all, active].map(({ data }) => data?.next_cursor);
  const rows = useMemo(() => {
    if (orders === undefined || leases === undefined || bids === undefined) return undefined;
    return joinOrders({ orders, bids, leases, decisions: decided });
  }, [orders, bids, leases, decided]);
  const problem = [open, own, leased, all, active].map(({ error }) => error).find((error) => error !== null) ?? undefined;
  return { rows, isMore: cursors.some((cursor = '') => cursor !== ''), problem, leases: leases ?? [] };
}

const noBids: readonly BidObject[] = [];
const noDecisions: readonly BidDecisionJson[] = [];

/** What the own program made of orders; nothing where there is none to ask. */
function useDecisions(): readonly BidDecisionJson[] {
  const { data } = usePolled<ListBidDecisionsResponseJson>('/bid-decisions', { call: { query: { pageSize: atOnce } } });
  return data?.decisions ?? noDecisions;
}
