import type { ReservationJson } from '@quartermaster/api/cluster';
import { reasonWords, reservationState } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { useNow } from '../live/use-live.ts';
import { nodeHref } from '../model/addresses.ts';
import { formatMoments } from '../model/relative-time.ts';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import type { GridColumn } from '../parts/table/grid.tsx';
import { amountWords, nodesOf, orderKey, podWords, shortOwner, untilShort, untilWords } from './reservation-words.ts';
import { reservationHref } from './use-reservations.ts';

type Column = GridColumn<ReservationJson>;

const order: Column = {
  name: 'order',
  heading: 'Order',
  titleOf: orderKey,
  show: ({ order: { dseq = '0', gseq = 0, oseq = 0, owner } = {} }) => (
    <Link href={reservationHref({ owner: owner ?? '', dseq, gseq, oseq })} tabIndex={-1} className="mono">
      {`${dseq}/${gseq}/${oseq}`}
    </Link>
  ),
};

const owner: Column = {
  name: 'owner',
  heading: 'Owner',
  titleOf: ({ owner: account = '' }) => account,
  show: ({ owner: account = '' }) => <span className="mono">{shortOwner(account)}</span>,
};

const state: Column = {
  name: 'state',
  heading: 'Phase',
  titleOf: stateTitle,
  show: (reservation) => (
    <Changing value={reservationState(reservation).word}>
      <StateWord {...reservationState(reservation)} />
    </Changing>
  ),
};

function stateTitle(reservation: ReservationJson): string {
  const { word } = reservationState(reservation);
  return reservation.confirmed === true ? `${word}, confirmed` : `${word}: it counts against others, but nobody may rely on it yet`;
}

const until: Column = {
  name: 'until',
  heading: 'Expires',
  titleOf: ({ expiresAt }) => untilTitle(expiresAt),
  show: (reservation) => <UntilShort reservation={reservation} />,
};

const untilTitle = (expiresAt: string | undefined): string => {
  const at = momentOf(expiresAt);
  return at === undefined ? '' : formatMoments(at);
};

/** Until when it is promised, the moment itself on hover. */
export function Until({ reservation }: { readonly reservation: ReservationJson }) {
  return <time title={untilTitle(reservation.expiresAt)}>{untilWords(reservation, useNow())}</time>;
}

function UntilShort({ reservation }: { readonly reservation: ReservationJson }) {
  return <time>{untilShort(reservation, useNow())}</time>;
}

const nodes: Column = {
  name: 'nodes',
  heading: 'Nodes',
  titleOf: (reservation) =>
    nodesOf(reservation)
      .map(({ node, replicas }) => `${node}: ${replicas}`)
      .join(', '),
  show: (reservation) => {
    const [first, ...rest] = nodesOf(reservation);
    if (first === undefined) return <span className="dim">–</span>;
    return (
      <>
        <Link href={nodeHref(first.node)} tabIndex={-1}>
          {first.node}
        </Link>
        {rest.length > 0 && <span className="dim"> +{rest.length}</span>}
      </>
    );
  },
};

const amounts: Column = {
  name: 'amounts',
  heading: 'Promised',
  titleOf: ({ promised }) => amountWords(promised),
  show: ({ promised }) => amountWords(promised),
};

const pods: Column = {
  name: 'pods',
  heading: 'Pods',
  isNumber: true,
  titleOf: ({ allocated }) => `Allocated: ${amountWords(allocated) || 'nothing yet'}`,
  show: (reservation) => <Changing value={podWords(reservation)}>{podWords(reservation)}</Changing>,
};

const conditions: Column = {
  name: 'conditions',
  heading: 'Conditions',
  titleOf: ({ conditions: all = [] }) => all.map(({ message = '' }) => message).join(' '),
  show: ({ conditions: all = [] }) =>
    all.length === 0 ? (
      <span className="dim">–</span>
    ) : (
      <StateWord tone={conditionTone(all)} word={all.map(({ type = '' }) => reasonWords(type)).join(', ')} />
    ),
};

/** More promised than there is cannot be kept; everything else can. */
export const conditionTone = (all: readonly { readonly type?: string }[]): 'failed' | 'held' =>
  all.some(({ type }) => type === 'OverCommitted') ? 'failed' : 'held';

export const reservationColumns: readonly Column[] = [order, owner, state, until, nodes, amounts, pods, conditions];

const amountColumn = (name: 'allocated' | 'held', heading: string, none: string): Column => ({
  name,
  heading,
  titleOf: (reservation) => amountWords(reservation[name]),
  show: (reservation) => {
    const words = amountWords(reservation[name]);
    return words === '' ? <span className="dim">{none}</span> : <Changing value={words}>{words}</Changing>;
  },
});

/** Of leases, what they have matters before what was promised. */
export const leaseColumns: readonly Column[] = [
  order,
  owner,
  { name: 'namespace', heading: 'Namespace', show: ({ leaseNamespace }) => leaseNamespace?.name ?? <span className="dim">none yet</span> },
  nodes,
  amountColumn('allocated', 'Allocated', 'nothing yet'),
  amountColumn('held', 'Reserved', 'nothing'),
  pods,
  conditions,
];

/** On the page of a node all of them are on that node: what each takes of it is what matters. */
export function columnsOfNode(node: string): readonly Column[] {
  const here: Column = {
    name: 'replicas',
    heading: 'Replicas here',
    isNumber: true,
    show: (reservation) => nodesOf(reservation).find((each) => each.node === node)?.replicas ?? 0,
  };
  return [order, owner, state, until, here, { ...amounts, heading: 'Promised in all' }, pods, conditions];
}
