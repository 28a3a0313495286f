import type { ClaimedHostnameJson } from '@quartermaster/api/cluster';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { hostnameKeys, hostnameState, orderOfHostname } from '../lease-model/hostname-words.ts';
import { leaseNumbers } from '../lease-model/lease-words.ts';
import { leaseHref, useHostnames } from '../lease-model/use-leases.ts';
import { FilteredList } from '../lists/filtered-list.tsx';
import { useListQuery } from '../lists/use-list-query.ts';
import { useNow } from '../live/use-live.ts';
import { formatDuration, formatMoments } from '../model/relative-time.ts';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import type { GridColumn } from '../parts/table/grid.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { shortOwner } from '../reservations/reservation-words.ts';

const pageSize = 1_000;
const keyOf = ({ hostname = '' }: ClaimedHostnameJson): string => hostname;

/** Which lease has which names, and which were given back and are kept from others for a while. */
export function HostnamesPage() {
  const list = useListQuery();
  const polled = useHostnames({ pageSize, pageToken: list.pages.token });
  return (
    <FilteredList
      singular="hostname"
      plural="hostnames"
      list={list}
      polled={polled}
      rows={polled.data?.hostnames}
      keyOf={keyOf}
      hrefOf={(row) => {
        const order = orderOfHostname(row);
        return order === undefined ? undefined : leaseHref(order);
      }}
      layout="hostname"
      columns={columns}
      keys={hostnameKeys}
      filterHint="filter: words, tenant:acme state:released, or CEL"
      empty={
        <p>
          No hostname is claimed. A tenant gets one with <code>accept</code> below <code>expose</code> in the SDL.
        </p>
      }
    />
  );
}

const none = <span className="dim">–</span>;

const columns: readonly GridColumn<ClaimedHostnameJson>[] = [
  { name: 'hostname', heading: 'Hostname', titleOf: keyOf, show: keyOf },
  {
    name: 'state',
    heading: 'State',
    show: (row) => (
      <Changing value={row.state ?? ''}>
        <StateWord {...hostnameState(row)} />
      </Changing>
    ),
  },
  {
    name: 'tenant',
    heading: 'Tenant',
    titleOf: ({ owner = '' }) => owner,
    show: ({ owner = '' }) => <span className="mono">{shortOwner(owner)}</span>,
  },
  {
    name: 'lease',
    heading: 'Lease',
    show: (row): ReactNode => {
      const order = orderOfHostname(row);
      return order === undefined ? (
        none
      ) : (
        <Link href={leaseHref(order)} tabIndex={-1} className="mono">
          {leaseNumbers(order)}
        </Link>
      );
    },
  },
  {
    name: 'service',
    heading: 'Service',
    show: ({ service = '', externalPort = 0 }) => (service === '' ? none : `${service}:${externalPort}`),
  },
  {
    name: 'since',
    heading: 'Since',
    show: ({ since }) => {
      const at = momentOf(since);
      return at === undefined ? none : <TimeAgo at={at} />;
    },
  },
  {
    name: 'free',
    heading: 'Free for others',
    show: ({ freeAt, state }) => <Free at={momentOf(freeAt)} isReleased={state === 'Released'} />,
  },
];

/** One that was given back is kept from others for a while: a name must not pass to somebody else before everybody has forgotten it. */
function Free({ at, isReleased }: { readonly at: number | undefined; readonly isReleased: boolean }) {
  const now = useNow();
  if (!isReleased || at === undefined) return none;
  return <time title={formatMoments(at)}>{at > now ? `in ${formatDuration(at - now)}` : 'now'}</time>;
}
