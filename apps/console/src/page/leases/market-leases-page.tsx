import { leaseHealth, marketState } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { deploymentKind, leaseKind, may, objectHref } from '../api/object-kind.ts';
import { newDeploymentHref } from '../market/deployments-page.tsx';
import type { LeaseObject } from '../market/market-objects.ts';
import { exactPrice, perMonth } from '../market/price-words.ts';
import { type ObjectColumn, stateColumn } from '../objects/object-columns.tsx';
import { ObjectTable } from '../objects/object-table.tsx';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
import { availableWords, deliveryProblems, urisOf } from './delivery-words.ts';

const examples: Readonly<Record<string, string>> = {
  active: 'this.status.state == LEASE_STATE_ACTIVE',
  closed: 'this.status.state == LEASE_STATE_CLOSED',
  unhealthy: 'this.status.delivery.health == "unhealthy"',
};

const none = <span className="dim">–</span>;

const columns: readonly ObjectColumn<LeaseObject>[] = [
  stateColumn(marketState),
  {
    name: 'health',
    heading: 'Health',
    titleOf: (lease) => deliveryProblems(lease).join(' ') || (lease.status?.delivery?.message ?? ''),
    show: ({ status }) => {
      if (status?.state === 'LEASE_STATE_CLOSED') return none;
      const health = leaseHealth(status?.delivery?.health);
      return (
        <Changing value={health.word}>
          <StateWord {...health} />
        </Changing>
      );
    },
  },
  { name: 'available', heading: 'Available', isNumber: true, show: (lease) => availableWords(lease) || none },
  {
    name: 'uris',
    heading: 'Addresses',
    titleOf: (lease) => urisOf(lease).join(', '),
    show: (lease) => urisOf(lease).join(', ') || none,
  },
  {
    name: 'deployment',
    heading: 'Deployment',
    show: ({ spec }) =>
      spec === undefined ? (
        none
      ) : (
        <Link href={objectHref(deploymentKind, spec.order.dseq)} tabIndex={-1}>
          {`${spec.order.dseq}, ${spec.group_name}`}
        </Link>
      ),
  },
  {
    name: 'provider',
    heading: 'Provider',
    orderBy: 'spec.provider',
    titleOf: ({ spec }) => spec?.provider ?? '',
    show: ({ spec }) => spec?.provider,
  },
  {
    name: 'price',
    heading: 'Per month',
    isNumber: true,
    titleOf: ({ spec }) => exactPrice(spec?.price),
    show: ({ spec }) => perMonth(spec?.price) || none,
  },
  {
    name: 'age',
    heading: 'Leased',
    orderBy: 'metadata.creation_timestamp',
    show: ({ metadata }) => <TimeAgo at={momentOf(metadata.creation_timestamp) ?? 0} />,
  },
];

/** What providers deliver to a tenant, as they say it: how it is, which addresses it has, and what it costs. */
export function MarketLeasesPage() {
  const session = useSession();
  return (
    <ObjectTable
      kind={leaseKind}
      layout="market-lease"
      columns={columns}
      filterHint="filter: words, state:active, or CEL"
      examples={examples}
      empty={
        <p>
          There are no leases. One appears here when a bid on an order is accepted:{' '}
          {may(session, 'Create', deploymentKind) ? <Link href={newDeploymentHref}>deploy an SDL</Link> : 'a tenant deploys an SDL'} to get
          bids, or <code>quartermaster deploy FILE</code>.
        </p>
      }
    />
  );
}
