import type { RunningLeaseJson } from '@quartermaster/api/cluster';
import { leaseHealth, leaseState, type State } from '@quartermaster/api/states';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { availableText, gpusOf, hostnamesOf, leasedAt, leaseKey, leaseNumbers, nodesOf, problemsOf } from '../lease-model/lease-words.ts';
import { leaseHref } from '../lease-model/use-leases.ts';
import { exactPrice, type Price, perMonth } from '../market/price-words.ts';
import { nodeHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import type { GridColumn } from '../parts/table/grid.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { shortOwner } from '../reservations/reservation-words.ts';

type Column = GridColumn<RunningLeaseJson>;

const none = <span className="dim">–</span>;

const stateCell = (state: State) => (
  <Changing value={state.word}>
    <StateWord {...state} />
  </Changing>
);

/** For each block of the market; undefined where this provider's program does not know it. */
export function priceOf({ price }: RunningLeaseJson): Price | undefined {
  return price?.denom === undefined || price.amount === undefined ? undefined : { denom: price.denom, amount: price.amount };
}

/** The first of several, and how many there are besides. */
function firstOf(all: readonly string[], show: (first: string) => ReactNode) {
  const [first, ...rest] = all;
  if (first === undefined) return none;
  return (
    <>
      {show(first)}
      {rest.length > 0 && <span className="dim"> +{rest.length}</span>}
    </>
  );
}

export const leaseColumns: readonly Column[] = [
  {
    name: 'lease',
    heading: 'Lease',
    titleOf: leaseKey,
    show: ({ order = {} }) => (
      <Link href={leaseHref(order)} tabIndex={-1} className="mono">
        {leaseNumbers(order)}
      </Link>
    ),
  },
  {
    name: 'tenant',
    heading: 'Tenant',
    titleOf: ({ order }) => order?.owner ?? '',
    show: ({ order }) => <span className="mono">{shortOwner(order?.owner ?? '')}</span>,
  },
  {
    name: 'state',
    heading: 'State',
    titleOf: ({ message = '', reason = '' }) => message || reason,
    show: ({ state }) => stateCell(leaseState(state)),
  },
  {
    name: 'health',
    heading: 'Health',
    titleOf: (lease) => problemsOf(lease).join(' '),
    show: ({ health }) => stateCell(leaseHealth(health)),
  },
  {
    name: 'available',
    heading: 'Available',
    isNumber: true,
    titleOf: ({ services = [] }) =>
      services.map(({ name = '', available = 0, count = 0 }) => `${name}: ${available} of ${count}`).join(', '),
    show: (lease) => {
      const words = availableText(lease);
      return words === '' ? none : <Changing value={words}>{words}</Changing>;
    },
  },
  {
    name: 'nodes',
    heading: 'Nodes',
    titleOf: (lease) => nodesOf(lease).join(', '),
    show: (lease) =>
      firstOf(nodesOf(lease), (first) => (
        <Link href={nodeHref(first)} tabIndex={-1}>
          {first}
        </Link>
      )),
  },
  { name: 'gpus', heading: 'GPUs', isNumber: true, show: (lease) => (gpusOf(lease) === 0 ? none : formatInteger(gpusOf(lease))) },
  {
    name: 'hostnames',
    heading: 'Hostnames',
    titleOf: (lease) => hostnamesOf(lease).join(', '),
    show: (lease) => firstOf(hostnamesOf(lease), (first) => first),
  },
  {
    name: 'price',
    heading: 'Per month',
    isNumber: true,
    titleOf: (lease) => exactPrice(priceOf(lease)),
    show: (lease) => perMonth(priceOf(lease)) || none,
  },
  {
    name: 'age',
    heading: 'Leased',
    show: (lease) => {
      const at = leasedAt(lease);
      return at === undefined ? none : <TimeAgo at={at} />;
    },
  },
];
