import { marketState, orderText } from '@quartermaster/api/states';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { problemOf, problemText } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { bidKind, deploymentKind, leaseKind, may, objectHref, orderKind } from '../api/object-kind.ts';
import { listsKey, useObject, useObjects } from '../api/use-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { leaseNumbers } from '../lease-model/lease-words.ts';
import { leaseHref } from '../lease-model/use-leases.ts';
import { shortId } from '../model/short-id.ts';
import { Facts } from '../parts/facts.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Ghosts } from '../parts/waiting.tsx';
import { amountWords } from '../reservations/reservation-words.ts';
import { reservationHref } from '../reservations/use-reservations.ts';
import { useSession } from '../session/session.ts';
import { marketPath } from '../upstreams/use-market.ts';
import { DecisionPanel } from './decision-panel.tsx';
import { deploymentHistory } from './deployment-history.ts';
import { BidTable } from './group-panel.tsx';
import { HistoryPanel } from './history-panel.tsx';
import {
  type BidObject,
  type LeaseObject,
  type OrderNumbers,
  type OrderObject,
  orderId,
  ordersHref,
  resourcesOf,
} from './market-objects.ts';
import { exactPrice, perMonth } from './price-words.ts';

interface KnownOrder {
  readonly order?: OrderObject | undefined;
  readonly bid?: BidObject | undefined;
  readonly lease?: LeaseObject | undefined;
}

/** What the market tells the caller of one order: a provider of its own bid alone. */
function useKnownOrder(numbers: OrderNumbers) {
  const session = useSession();
  const isProvider = session.marketRole === 'provider';
  const id = orderId(numbers);
  const wanted = { isWanted: !isProvider };
  const own = { filter: `this.id.startsWith(${JSON.stringify(`${id}-`)})` };
  const order = useObject<OrderObject>(orderKind, id, wanted);
  const bids = useObjects<BidObject>(bidKind, own, wanted);
  const leases = useObjects<LeaseObject>(leaseKind, own, wanted);
  const looked = useQuery({
    queryKey: [...listsKey(orderKind), 'looked up', numbers],
    queryFn: ({ signal }) =>
      callApi<{ readonly known: readonly KnownOrder[] }>(`${marketPath}/provider/orders:lookUp`, {
        method: 'POST',
        body: { orders: [numbers] },
        signal,
      }),
    enabled: isProvider,
  });
  if (!isProvider) {
    return {
      order: order.data,
      bids: bids.data?.items,
      leases: leases.data?.items,
      problem: order.error ?? undefined,
      isRead: order.data !== undefined,
    };
  }
  const [known] = looked.data?.known ?? [];
  return {
    order: known?.order,
    bids: known?.bid === undefined ? [] : [known.bid],
    leases: known?.lease === undefined ? [] : [known.lease],
    problem: problemOf(looked.error ?? looked.failureReason),
    isRead: looked.data !== undefined,
  };
}

/** One order: what is wanted, who bid, what became of it, and what this provider decided, each with reasons and times. */
export function OrderPage({ params }: { readonly params: RouteParams }) {
  const numbers: OrderNumbers = {
    owner: params['owner'] ?? '',
    dseq: params['dseq'] ?? '0',
    gseq: Number(params['gseq'] ?? 0),
    oseq: Number(params['oseq'] ?? 0),
  };
  const session = useSession();
  const { order, bids, leases, problem, isRead } = useKnownOrder(numbers);
  const { owner, dseq, gseq, oseq } = numbers;
  usePageTitle(`${dseq}/${gseq}/${oseq}`, 'Orders and bids');
  const isForeign = order !== undefined && order.spec?.order.owner !== owner;
  const isGone = problem?.code === 'not_found' || (isRead && order === undefined) || isForeign;
  return (
    <>
      <header className="page-head">
        <h1 className="mono" title={orderText(numbers)}>
          {orderText({ ...numbers, owner: shortId(owner) })}
        </h1>
        {order !== undefined && !isForeign && <StateWord {...marketState(order)} />}
      </header>
      {problem !== undefined && !isGone && (
        <p className="stale-notice" role="alert">
          {problemText(problem, 'market')}
        </p>
      )}
      {isGone && (
        <p className="empty-line">
          The market knows no order {orderText(numbers)}: it was archived, or never was. <Link href={ordersHref}>All orders</Link>.
        </p>
      )}
      {!isRead && problem === undefined && <Ghosts>Loading the order …</Ghosts>}
      {session.hasClusterService && <DecisionPanel numbers={numbers} />}
      {order !== undefined && !isForeign && (
        <>
          <OrderFacts order={order} numbers={numbers} leaseId={leases?.[0]?.id} />
          <Panel title="Bids" aside={session.marketRole === 'provider' ? 'your own' : undefined} source="market">
            <BidTable order={order} bids={bids} />
          </Panel>
          <HistoryPanel
            lines={deploymentHistory(undefined, [order], bids ?? [], leases ?? [])}
            isRead={bids !== undefined && leases !== undefined}
          />
        </>
      )}
    </>
  );
}

interface OrderFactsProps {
  readonly order: OrderObject;
  readonly numbers: OrderNumbers;
  /** Of the lease that became of it. */
  readonly leaseId: string | undefined;
}

function OrderFacts({ order: { spec, status }, numbers, leaseId }: OrderFactsProps) {
  const session = useSession();
  const hasLease = leaseId !== undefined || status?.state === 'ORDER_STATE_ACTIVE';
  const group = spec?.group;
  return (
    <Panel title="Order" source="market">
      <Facts
        facts={[
          ['Owner', numbers.owner],
          ['Group', spec?.group_name],
          ['Wants', group !== undefined && amountWords(resourcesOf(group))],
          ['Runs', (group?.services ?? []).map(({ name, count, image }) => `${name}: ${count} × ${image}`).join(', ')],
          [
            'At most',
            <span key="most" title={exactPrice(group?.max_price)}>
              {perMonth(group?.max_price)} per month
            </span>,
          ],
          [
            'Deployment',
            may(session, 'Get', deploymentKind) && (
              <Link key="deployment" href={objectHref(deploymentKind, numbers.dseq)}>
                {numbers.dseq}
              </Link>
            ),
          ],
          session.hasClusterService
            ? [
                'Running lease',
                hasLease && (
                  <Link key="running" href={leaseHref(numbers)}>
                    {leaseNumbers(numbers)}
                  </Link>
                ),
              ]
            : [
                'Lease',
                leaseId !== undefined && may(session, 'Get', leaseKind) && (
                  <Link key="lease" href={objectHref(leaseKind, leaseId)}>
                    {leaseId}
                  </Link>
                ),
              ],
          [
            'Reservation',
            session.hasClusterService && (
              <Link key="reservation" href={reservationHref(numbers)}>
                {leaseNumbers(numbers)}
              </Link>
            ),
          ],
        ]}
      />
    </Panel>
  );
}
