import { marketState } from '@quartermaster/api/states';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { callApi } from '../api/call-api.ts';
import { bidKind, leaseKind, may, objectHref, orderKind } from '../api/object-kind.ts';
import { listsKey } from '../api/use-object.ts';
import { useNow } from '../live/use-live.ts';
import { countOf } from '../model/amounts.ts';
import { formatDuration, formatMoments } from '../model/relative-time.ts';
import { Changing } from '../parts/changing.tsx';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { amountWords } from '../reservations/reservation-words.ts';
import { useSession } from '../session/session.ts';
import { marketPath } from '../upstreams/use-market.ts';
import { ConfirmButton } from './confirm-button.tsx';
import { type BidObject, cardsName, type Group, type LeaseObject, type OrderObject, orderId, resourcesOf } from './market-objects.ts';
import { exactPrice, perMonth } from './price-words.ts';

interface GroupPanelProps {
  readonly group: Group;
  /** Of the whole deployment; undefined until they are read. */
  readonly orders: readonly OrderObject[] | undefined;
  readonly bids: readonly BidObject[] | undefined;
  readonly leases: readonly LeaseObject[] | undefined;
}

/** A group: what it wants, its newest order with the bids on it, and the lease. */
export function GroupPanel({ group, orders, bids, leases }: GroupPanelProps) {
  const { gseq, name, spec, closed_reason: closedReason } = group;
  const order = orders?.find((each) => each.spec?.order.gseq === gseq);
  const isOfOrder = (each: BidObject | LeaseObject): boolean =>
    each.spec !== undefined && order !== undefined && orderId(each.spec.order) === order.id;
  const lease = leases?.find(isOfOrder);
  const services = (spec?.services ?? []).map(({ name: service, count, image }) => `${service}: ${count} × ${image}`);
  return (
    <Panel title={`Group ${name}`} aside={spec === undefined ? undefined : amountWords(resourcesOf(spec))} source="market">
      <p className="dim">{services.join(' · ')}</p>
      {closedReason !== '' && <p>Its last order ended: {closedReason}.</p>}
      {orders === undefined && <p className="empty-line">Loading its order …</p>}
      {order !== undefined && <OrderLine order={order} />}
      {lease !== undefined && <LeaseLine lease={lease} />}
      {order !== undefined && <BidTable order={order} bids={bids?.filter(isOfOrder)} />}
    </Panel>
  );
}

function OrderLine({ order }: { readonly order: OrderObject }) {
  const { id, spec, status } = order;
  const now = useNow();
  const expires = momentOf(status?.expires_at);
  const max = spec?.group?.max_price;
  return (
    <p className="trade-line">
      <StateWord {...marketState(order)} />
      <span>
        Order <span className="mono">{id}</span>, <span title={exactPrice(max)}>at most {perMonth(max)} per month</span>
        {status?.state === 'ORDER_STATE_OPEN' && expires !== undefined && (
          <>
            ; <time title={formatMoments(expires)}>closes in {formatDuration(Math.max(0, expires - now))}</time> without a lease
          </>
        )}
        {status?.state === 'ORDER_STATE_CLOSED' && `; closed: ${status.closed_reason}`}
      </span>
    </p>
  );
}

function LeaseLine({ lease }: { readonly lease: LeaseObject }) {
  const session = useSession();
  const queries = useQueryClient();
  const { id, metadata, spec, status } = lease;
  const provider = spec?.provider ?? '';
  return (
    <p className="trade-line">
      <StateWord {...marketState(lease)} />
      <span>
        <Link href={objectHref(leaseKind, id)}>Lease</Link> with <strong>{provider}</strong> for{' '}
        <span title={exactPrice(spec?.price)}>{perMonth(spec?.price)} per month</span>, since{' '}
        <TimeAgo at={momentOf(metadata.creation_timestamp) ?? 0} />
        {status?.state === 'LEASE_STATE_CLOSED' && `; ended: ${status.closed_reason}`}
      </span>
      {status?.state === 'LEASE_STATE_ACTIVE' && may(session, 'Close', leaseKind) && (
        <ConfirmButton
          label="End lease"
          title={`End the lease with ${provider}`}
          isGrave
          consequences={[
            `The workload of ${spec?.group_name ?? 'the group'} at ${provider} is stopped.`,
            'The market creates a new order for the group at once, and other bids may be accepted.',
          ]}
          typed={provider}
          act={async () => {
            await callApi(`${marketPath}/leases/${encodeURIComponent(id)}:close`, { method: 'POST', body: {} });
            for (const kind of [orderKind, bidKind, leaseKind]) void queries.invalidateQueries({ queryKey: listsKey(kind) });
          }}
          said={`Ended the lease with ${provider}. The market creates a new order for the group.`}
        />
      )}
    </p>
  );
}

interface BidTableProps {
  readonly order: OrderObject;
  /** Undefined until they are read. */
  readonly bids: readonly BidObject[] | undefined;
}

/** Who bids on an order and for how much, the cheapest first. */
export function BidTable({ order, bids }: BidTableProps) {
  if (bids === undefined) return <p className="empty-line">Loading its bids …</p>;
  if (bids.length === 0) {
    const isOpen = order.status?.state === 'ORDER_STATE_OPEN';
    return <p className="empty-line">{isOpen ? 'No provider has bid yet. Bids appear here as they are made.' : 'No provider has bid.'}</p>;
  }
  const amountOf = ({ spec }: BidObject): number => Number(spec?.price?.amount ?? Number.POSITIVE_INFINITY);
  const sorted = bids.toSorted((a, b) => amountOf(a) - amountOf(b));
  return (
    <PlainTable
      headings={['Provider', 'Price per month', 'Offered cards', 'State', 'Made', '']}
      numbers={['Price per month']}
      layout="bid-table"
    >
      {sorted.map((bid) => (
        <BidRow key={bid.id} bid={bid} order={order} others={bids.filter(isOpenBid).length - 1} />
      ))}
    </PlainTable>
  );
}

const isOpenBid = ({ status }: BidObject): boolean => status?.state === 'BID_STATE_OPEN';

function BidRow({ bid, order, others }: { readonly bid: BidObject; readonly order: OrderObject; readonly others: number }) {
  const session = useSession();
  const queries = useQueryClient();
  const { id, metadata, spec, status } = bid;
  const provider = spec?.provider ?? '';
  const cards = [...new Set((spec?.offer ?? []).map(({ cards: each }) => each.map(cardsName).join(' or ')))].filter((text) => text !== '');
  const price = perMonth(spec?.price);
  const isOffered = isOpenBid(bid) && order.status?.state === 'ORDER_STATE_OPEN' && may(session, 'Accept', bidKind);
  const { word, tone } = marketState(bid);
  return (
    <tr>
      <th scope="row">{provider}</th>
      <td className="number" title={exactPrice(spec?.price)}>
        {price === '' ? <span className="dim">withdrawn</span> : price}
      </td>
      <td>{cards.length === 0 ? <span className="dim">none</span> : cards.join(', ')}</td>
      <td title={status?.closed_reason}>
        <Changing value={word}>
          <StateWord tone={tone} word={word} />
        </Changing>
      </td>
      <td>
        <TimeAgo at={momentOf(metadata.creation_timestamp) ?? 0} />
      </td>
      <td>
        {isOffered && (
          <ConfirmButton
            label="Accept"
            title={`Accept the bid of ${provider}`}
            consequences={[
              `${provider} gets the lease of ${order.spec?.group_name ?? order.id} for ${price} per month, from now on.`,
              ...(others > 0 ? [`${countOf(others, 'other bid')} ${others === 1 ? 'is' : 'are'} lost.`] : []),
            ]}
            act={async () => {
              await callApi(`${marketPath}/bids/${encodeURIComponent(id)}:accept`, { method: 'POST', body: {} });
              for (const kind of [orderKind, bidKind, leaseKind]) void queries.invalidateQueries({ queryKey: listsKey(kind) });
            }}
            said={`Accepted the bid of ${provider}.`}
          />
        )}
      </td>
    </tr>
  );
}
