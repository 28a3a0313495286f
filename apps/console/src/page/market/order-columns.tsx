import { bidDecisionState, marketState, orderText, type State } from '@quartermaster/api/states';
import { Link } from 'wouter';
import type { RowKey } from '../../filter/row-filter.ts';
import { momentOf } from '../api/api-words.ts';
import { formatInteger } from '../model/amounts.ts';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import type { GridColumn } from '../parts/table/grid.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { amountWords, shortOwner } from '../reservations/reservation-words.ts';
import type { TradedOrder } from './join-orders.ts';
import { orderHref, resourcesOf } from './market-objects.ts';
import { exactPrice, perMonth } from './price-words.ts';

export const keyOf = ({ numbers }: TradedOrder): string => orderText(numbers);

/** How the order is by the market's word; one that is only remembered here by what became of the bid. */
function rowState({ order, bid, lease, decision }: TradedOrder): State {
  if (order !== undefined) return marketState(order);
  if (lease !== undefined) return { word: 'Active', tone: 'allocated' };
  if (bid !== undefined) return marketState(bid);
  return decision === undefined ? { word: 'Unknown', tone: 'unknown' } : { word: 'Over', tone: 'plain' };
}

const wants = ({ order }: TradedOrder): string => {
  const group = order?.spec?.group;
  return group === undefined ? '' : amountWords(resourcesOf(group));
};

/** Why the own program did what it did, the weightiest reason first. */
const reasons = ({ decision }: TradedOrder): string => (decision?.reasons ?? []).map(({ message = '' }) => message).join(' ');

const askedPrice = ({ lease, bid, decision }: TradedOrder) => {
  const { denom, amount } = decision?.price ?? {};
  return lease?.spec?.price ?? bid?.spec?.price ?? (denom === undefined || amount === undefined ? undefined : { denom, amount });
};

/** What the filter of orders can ask for. */
export const orderKeys: readonly RowKey<TradedOrder>[] = [
  { name: 'order', note: 'owner, dseq, gseq and oseq', value: keyOf },
  { name: 'owner', note: 'the account that ordered', value: ({ numbers }) => numbers.owner, isListed: true },
  { name: 'state', note: 'of the order', value: (row) => rowState(row).word, isListed: true },
  {
    name: 'way',
    note: 'how far this provider came with it',
    value: ({ decision }) => (decision === undefined ? '' : bidDecisionState(decision).word),
    isListed: true,
  },
  {
    name: 'reason',
    note: 'why, by its code',
    value: ({ decision }) => (decision?.reasons ?? []).map(({ code = '' }) => code),
    isListed: true,
  },
  { name: 'provider', note: 'that has the lease', value: ({ lease }) => lease?.spec?.provider ?? '', isListed: true },
  { name: 'wants', note: 'what is ordered', value: wants },
];

type Column = GridColumn<TradedOrder>;

const stateCell = (state: State) => (
  <Changing value={state.word}>
    <StateWord {...state} />
  </Changing>
);

const columns = {
  order: {
    name: 'order',
    heading: 'Order',
    titleOf: keyOf,
    show: ({ numbers }) => (
      <Link href={orderHref(numbers)} tabIndex={-1} className="mono">
        {`${numbers.dseq}/${numbers.gseq}/${numbers.oseq}`}
      </Link>
    ),
  },
  owner: { name: 'owner', heading: 'Owner', titleOf: ({ numbers }) => numbers.owner, show: ({ numbers }) => shortOwner(numbers.owner) },
  state: {
    name: 'state',
    heading: 'State',
    titleOf: ({ order }) => order?.status?.closed_reason ?? '',
    show: (row) => stateCell(rowState(row)),
  },
  wants: { name: 'wants', heading: 'Wants', titleOf: wants, show: (row) => wants(row) || <span className="dim">not known any more</span> },
  most: {
    name: 'most',
    heading: 'At most',
    isNumber: true,
    titleOf: ({ order }) => exactPrice(order?.spec?.group?.max_price),
    show: ({ order }) => perMonth(order?.spec?.group?.max_price) || <span className="dim">–</span>,
  },
  bids: { name: 'bids', heading: 'Bids', isNumber: true, show: ({ order }) => formatInteger(order?.status?.bids ?? 0) },
  price: {
    name: 'price',
    heading: 'Asked',
    isNumber: true,
    titleOf: (row) => exactPrice(askedPrice(row)),
    show: (row) => perMonth(askedPrice(row)) || <span className="dim">–</span>,
  },
  way: {
    name: 'way',
    heading: 'This provider',
    titleOf: reasons,
    show: ({ decision, bid }) => {
      if (decision !== undefined) return stateCell(bidDecisionState(decision));
      return bid === undefined ? <span className="dim">–</span> : stateCell(marketState(bid));
    },
  },
  reason: { name: 'reason', heading: 'Reason', titleOf: reasons, show: (row) => reasons(row) || <span className="dim">–</span> },
  age: {
    name: 'age',
    heading: 'Ordered',
    show: ({ order, decision }) => {
      const at = momentOf(order?.metadata.creation_timestamp ?? decision?.orderedAt);
      return at === undefined ? <span className="dim">–</span> : <TimeAgo at={at} />;
    },
  },
} as const satisfies Readonly<Record<string, Column>>;

/** Those who look after the market see how many bid; a provider sees its own. Reasons are there where its program tells them. */
export function orderColumns(isProvider: boolean, hasDecisions: boolean): readonly Column[] {
  const { order, owner, state, wants: wanted, most, bids, price, way, reason, age } = columns;
  return [
    order,
    owner,
    state,
    wanted,
    most,
    ...(isProvider ? [] : [bids]),
    price,
    ...(isProvider || hasDecisions ? [way] : []),
    ...(hasDecisions ? [reason] : []),
    age,
  ];
}
