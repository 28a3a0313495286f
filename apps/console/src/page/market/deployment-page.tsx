import { marketState } from '@quartermaster/api/states';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { callApi } from '../api/call-api.ts';
import { bidKind, deploymentKind, leaseKind, may, type ObjectKind, orderKind } from '../api/object-kind.ts';
import { listsKey, objectKey, useObjects } from '../api/use-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { countOf } from '../model/amounts.ts';
import { ObjectFacts } from '../objects/object-facts.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { CopyLine } from '../parts/copy.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
import { marketPath } from '../upstreams/use-market.ts';
import { ConfirmButton } from './confirm-button.tsx';
import { deploymentHistory } from './deployment-history.ts';
import { GroupPanel } from './group-panel.tsx';
import { HistoryPanel } from './history-panel.tsx';
import type { BidObject, DeploymentObject, LeaseObject, OrderObject } from './market-objects.ts';
import { perMonth } from './price-words.ts';
import { updateHref } from './update-page.tsx';

/** One deployment: who bids on each of its groups, who has the lease, what it costs, and what became of it. */
export function DeploymentPage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<DeploymentObject> kind={deploymentKind} params={params}>
      {(deployment) => <Deployment deployment={deployment} />}
    </ObjectPage>
  );
}

/** Everything of a kind that belongs to one deployment, the newest first. */
function useOwn<T extends OrderObject | BidObject | LeaseObject>(kind: ObjectKind, id: string) {
  const { data } = useObjects<T>(kind, { filter: `this.id.startsWith("${id}-")`, order: 'metadata.creation_timestamp desc' });
  return data?.items;
}

function Deployment({ deployment }: { readonly deployment: DeploymentObject }) {
  const session = useSession();
  const { id, spec, status } = deployment;
  const orders = useOwn<OrderObject>(orderKind, id);
  const bids = useOwn<BidObject>(bidKind, id);
  const leases = useOwn<LeaseObject>(leaseKind, id);
  const name = nameOf(deployment);
  usePageTitle(name, 'Deployments');
  const active = (leases ?? []).filter((lease) => lease.status?.state === 'LEASE_STATE_ACTIVE');
  const groups = status?.groups ?? [];
  const closedAt = momentOf(status?.closed_at);
  const most = perMonth(...groups.map(({ spec: group }) => group?.max_price));
  const history = deploymentHistory(deployment, orders ?? [], bids ?? [], leases ?? []);
  return (
    <>
      <header className="page-head">
        <h1>{name === id ? `Deployment ${id}` : name}</h1>
        <StateWord {...marketState(deployment)} />
        <p className="dim">
          {active.length === 0 ? `at most ${most} per month` : `${perMonth(...active.map((lease) => lease.spec?.price))} per month`}
          {active.length > 0 && active.length < groups.length && `, with ${active.length} of ${countOf(groups.length, 'group')} leased`}
        </p>
        {status?.state === 'DEPLOYMENT_STATE_ACTIVE' && leases !== undefined && (
          <div className="page-actions">
            {may(session, 'Preview', deploymentKind) && (
              <Link href={updateHref(id)} className="quiet-button link-as-button">
                Update
              </Link>
            )}
            <CloseButton deployment={deployment} leases={active} bids={bids ?? []} />
          </div>
        )}
      </header>
      {closedAt !== undefined && (
        <p className="page-note">
          Closed <TimeAgo at={closedAt} />: {status?.closed_reason}.
        </p>
      )}
      {groups.map((group) => (
        <GroupPanel key={group.gseq} group={group} orders={orders} bids={bids} leases={leases} />
      ))}
      <HistoryPanel lines={history} isRead={orders !== undefined && bids !== undefined && leases !== undefined} />
      <Panel title="Facts" source="market">
        <ObjectFacts
          object={deployment}
          facts={[
            ['Number (dseq)', status?.dseq],
            ['Who chooses', spec?.choice === 'BID_CHOICE_CHEAPEST' ? 'the market: the cheapest bid' : 'the tenant'],
            ['Costs at most', `${most} per month`],
          ]}
        />
      </Panel>
      <Panel title="Command line">
        <CopyLine text={`npx quartermaster describe deployment ${id}`} />
      </Panel>
    </>
  );
}

interface CloseButtonProps {
  readonly deployment: DeploymentObject;
  /** Those that are active. */
  readonly leases: readonly LeaseObject[];
  readonly bids: readonly BidObject[];
}

function CloseButton({ deployment, leases, bids }: CloseButtonProps) {
  const session = useSession();
  const queries = useQueryClient();
  if (!may(session, 'Close', deploymentKind)) return null;
  const { id } = deployment;
  const open = bids.filter(({ status }) => status?.state === 'BID_STATE_OPEN').length;
  const providers = leases.map(({ spec }) => spec?.provider ?? '').join(', ');
  return (
    <ConfirmButton
      label="Close"
      title={`Close deployment ${nameOf(deployment)}`}
      isGrave
      consequences={[
        leases.length === 0
          ? 'It has no lease: nothing that runs is stopped.'
          : `${leases.length === 1 ? 'The lease' : `The ${countOf(leases.length, 'lease')}`} with ${providers} ${leases.length === 1 ? 'ends' : 'end'}, and what runs there is stopped. Saves ${perMonth(...leases.map(({ spec }) => spec?.price))} per month.`,
        ...(open === 0 ? [] : [`${countOf(open, 'open bid')} ${open === 1 ? 'is' : 'are'} lost.`]),
        'It cannot be opened again: deploy anew instead.',
      ]}
      typed={leases.length === 0 ? undefined : id}
      act={async () => {
        await callApi(`${marketPath}/deployments/${encodeURIComponent(id)}:close`, { method: 'POST', body: {} });
        await queries.invalidateQueries({ queryKey: objectKey(deploymentKind, id) });
        for (const kind of [orderKind, bidKind, leaseKind]) void queries.invalidateQueries({ queryKey: listsKey(kind) });
      }}
      said={`Closed deployment ${nameOf(deployment)}.`}
    />
  );
}
