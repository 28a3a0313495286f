import { marketState } from '@quartermaster/api/states';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { deploymentKind, leaseKind, may, orderKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { formatInteger } from '../model/amounts.ts';
import { type ObjectColumn, stateColumn, tenantsColumn } from '../objects/object-columns.tsx';
import { ObjectTable } from '../objects/object-table.tsx';
import { Changing } from '../parts/changing.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
import type { DeploymentObject, LeaseObject, OrderObject } from './market-objects.ts';
import { type Price, perMonth } from './price-words.ts';

const examples: Readonly<Record<string, string>> = {
  active: 'this.status.state == DEPLOYMENT_STATE_ACTIVE',
  closed: 'this.status.state == DEPLOYMENT_STATE_CLOSED',
};

export const newDeploymentHref = `${deploymentKind.href}/new`;

/** What tenants run or want to run: its state, who bids, and what it costs. */
export function DeploymentsPage() {
  const session = useSession();
  const isTenant = session.marketRole === 'tenant';
  const trades = useTrades();
  const columns = useMemo(() => columnsOf(trades, isTenant), [trades, isTenant]);
  return (
    <ObjectTable
      kind={deploymentKind}
      layout={isTenant ? 'tenant-deployment' : 'deployment'}
      columns={columns}
      filterHint="filter: words, state:active name:web, or CEL"
      examples={examples}
      actions={
        may(session, 'Create', deploymentKind) && (
          <Link href={newDeploymentHref} className="main-button link-as-button">
            Deploy
          </Link>
        )
      }
      empty={
        <p>
          Nothing has been deployed. {may(session, 'Create', deploymentKind) && 'The button above deploys an SDL; so does '}
          {may(session, 'Create', deploymentKind) && <code>quartermaster deploy FILE</code>}
          {may(session, 'Create', deploymentKind) ? '.' : 'A deployment appears here as soon as a tenant makes one.'}
        </p>
      }
    />
  );
}

interface Trade {
  readonly bids: number;
  readonly prices: readonly (Price | undefined)[];
}

interface Trades {
  // dseq -> what is open or leased of it
  readonly of: ReadonlyMap<string, Trade>;
  /** Undefined while it is not known; false where there is more than was read. */
  readonly isComplete: boolean | undefined;
}

/** Bids on orders that are not over, and prices of leases. */
function useTrades(): Trades {
  const orders = useObjects<OrderObject>(orderKind, { filter: 'this.status.state != ORDER_STATE_CLOSED' }).data;
  const leases = useObjects<LeaseObject>(leaseKind, { filter: 'this.status.state == LEASE_STATE_ACTIVE' }).data;
  return useMemo(() => {
    const of = new Map<string, Trade>();
    const add = (dseq = '', bids: number, prices: Trade['prices']): void => {
      const before = of.get(dseq);
      of.set(dseq, { bids: bids + (before?.bids ?? 0), prices: [...(before?.prices ?? []), ...prices] });
    };
    for (const { spec, status } of orders?.items ?? []) add(spec?.order.dseq, status?.bids ?? 0, []);
    for (const { spec } of leases?.items ?? []) add(spec?.order.dseq, 0, [spec?.price]);
    const isRead = orders !== undefined && leases !== undefined;
    return { of, isComplete: isRead ? orders.next_cursor === '' && leases.next_cursor === '' : undefined };
  }, [orders, leases]);
}

function columnsOf(trades: Trades, isTenant: boolean): readonly ObjectColumn<DeploymentObject>[] {
  const isActive = ({ status }: DeploymentObject): boolean => status?.state === 'DEPLOYMENT_STATE_ACTIVE';
  const tradeOf = ({ id }: DeploymentObject): Trade | undefined => {
    const none = trades.isComplete === true ? { bids: 0, prices: [] } : undefined;
    return trades.of.get(id) ?? none;
  };
  return [
    ...(isTenant ? [] : [{ ...tenantsColumn, name: 'owner', heading: 'Tenant' }]),
    stateColumn(marketState),
    {
      name: 'groups',
      heading: 'Groups',
      titleOf: (deployment) => groupNames(deployment),
      show: (deployment) => groupNames(deployment),
    },
    {
      name: 'bids',
      heading: 'Bids',
      isNumber: true,
      show: (deployment) => {
        if (!isActive(deployment)) return <span className="dim">–</span>;
        const bids = tradeOf(deployment)?.bids;
        return bids === undefined ? <span className="dim">…</span> : <Changing value={bids}>{formatInteger(bids)}</Changing>;
      },
    },
    {
      name: 'price',
      heading: 'Price per month',
      isNumber: true,
      titleOf: () => 'Of its leases; before there are any, what it may cost at most.',
      show: (deployment) => {
        if (!isActive(deployment)) return <span className="dim">–</span>;
        const prices = tradeOf(deployment)?.prices ?? [];
        const most = perMonth(...(deployment.status?.groups ?? []).map(({ spec }) => spec?.max_price));
        const shown = prices.length === 0 ? `at most ${most}` : perMonth(...prices);
        return <Changing value={shown}>{shown}</Changing>;
      },
    },
    {
      name: 'age',
      heading: 'Deployed',
      orderBy: 'metadata.creation_timestamp',
      show: ({ metadata }) => <TimeAgo at={momentOf(metadata.creation_timestamp) ?? 0} />,
    },
  ];
}

const groupNames = ({ status }: DeploymentObject): string => (status?.groups ?? []).map(({ name }) => name).join(', ');
