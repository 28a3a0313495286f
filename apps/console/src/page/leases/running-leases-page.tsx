import type { LeaseProblemJson } from '@quartermaster/api/cluster';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { leaseKey } from '../lease-model/lease-words.ts';
import { leaseHref, useLeases } from '../lease-model/use-leases.ts';
import { FilteredList } from '../lists/filtered-list.tsx';
import { useListQuery } from '../lists/use-list-query.ts';
import { leasesHref } from '../model/addresses.ts';
import { sentenceCase } from '../model/amounts.ts';
import { Panel } from '../parts/panel.tsx';
import { Dot } from '../parts/state-word.tsx';
import { useQuery } from '../parts/table/use-query.ts';
import { ForHowLong } from '../parts/time-ago.tsx';
import { leaseColumns } from './lease-columns.tsx';
import { isAllNarrowed, leaseKeys, narrowed, stateCode } from './lease-keys.ts';

/** Rows of a page; where the page itself looks for something, it looks through more of them at once. */
const pageSize = 200;
const lookedAtOnce = 1_000;

/** What this provider runs for whom, how it is and why not, a page at a time. Filter and state are in the address. */
export function RunningLeasesPage() {
  const [state] = useQuery('state');
  const list = useListQuery(state ?? '');
  const polled = useLeases({
    ...narrowed(list.typed),
    ...(state !== null && { state: stateCode(state) }),
    pageSize: isAllNarrowed(list.typed) ? pageSize : lookedAtOnce,
    pageToken: list.pages.token,
  });
  const { leases, stale = [], strangers = [] } = polled.data ?? {};
  return (
    <FilteredList
      singular="lease"
      plural="leases"
      list={list}
      polled={polled}
      rows={leases}
      keyOf={leaseKey}
      hrefOf={({ order = {} }) => leaseHref(order)}
      layout="running-lease"
      columns={leaseColumns}
      keys={leaseKeys}
      filterHint="filter: words, tenant:acme health:unhealthy, or CEL"
      links={<StateLinks state={state} />}
      oldNotice={
        stale.length === 0
          ? undefined
          : `The cluster service cannot watch ${stale.join(', ')} at the moment: the last known state is shown.`
      }
      empty={<NoLeases isOfState={state !== null} />}
    >
      <IgnoredNamespaces strangers={strangers} />
    </FilteredList>
  );
}

function NoLeases({ isOfState }: { readonly isOfState: boolean }) {
  return isOfState ? (
    <p>
      No lease is in this state. <Link href={leasesHref}>All leases</Link>.
    </p>
  ) : (
    <p>
      This provider has no leases. One appears here when a tenant accepts a bid of this provider: <code>quartermaster deploy FILE</code>{' '}
      orders, and <Link href="/orders">Orders and bids</Link> shows what was bid on.
    </p>
  );
}

const states = [
  ['pending', 'reserved'],
  ['active', 'allocated'],
  ['error', 'failed'],
  ['complete', 'plain'],
] as const;

function StateLinks({ state }: { readonly state: string | null }) {
  return (
    <nav className="phases" aria-label="States">
      <Link href={leasesHref} aria-current={state === null ? 'true' : undefined}>
        All
      </Link>
      {states.map(([name, tone]) => (
        <Link key={name} href={`${leasesHref}?state=${name}`} aria-current={state === name ? 'true' : undefined}>
          <Dot tone={tone} />
          {sentenceCase(name)}
        </Link>
      ))}
    </nav>
  );
}

/** Namespaces that look like a lease's and belong to none. */
function IgnoredNamespaces({ strangers }: { readonly strangers: readonly LeaseProblemJson[] }) {
  if (strangers.length === 0) return null;
  return (
    <Panel title="Ignored namespaces" aside="they look like leases but belong to none">
      <ul className="conditions">
        {strangers.map(({ subject = '', message = '', since }) => (
          <li key={subject}>
            <Dot tone="held" />
            <strong className="mono">{subject}</strong>
            <span>{message}</span>
            <span className="dim">
              <ForHowLong since={momentOf(since)} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
