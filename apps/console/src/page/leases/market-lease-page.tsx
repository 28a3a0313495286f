import { leaseHealth, leaseState, marketState } from '@quartermaster/api/states';
import { useQueryClient } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { callApi } from '../api/call-api.ts';
import { bidKind, deploymentKind, leaseKind, may, objectHref, orderKind } from '../api/object-kind.ts';
import { listsKey, objectKey } from '../api/use-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { LeaseViews } from '../gateway/lease-views.tsx';
import { leaseNumbers, problemTone } from '../lease-model/lease-words.ts';
import { leaseHref } from '../lease-model/use-leases.ts';
import { ConfirmButton } from '../market/confirm-button.tsx';
import type { Delivery, LeaseObject } from '../market/market-objects.ts';
import { exactPrice, perMonth } from '../market/price-words.ts';
import { updateHref } from '../market/update-page.tsx';
import { countOf, formatInteger, sentenceCase } from '../model/amounts.ts';
import { ObjectFacts } from '../objects/object-facts.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { CopyId, CopyLine } from '../parts/copy.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { Panel } from '../parts/panel.tsx';
import { PhaseLine } from '../parts/phase-line.tsx';
import { Dot, StateWord } from '../parts/state-word.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
import { marketPath } from '../upstreams/use-market.ts';
import { deliveryPhases } from './delivery-phases.ts';

/** One lease as its tenant sees it: how the provider delivers it, where it is reached, what is wrong, and what can be done. */
export function MarketLeasePage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<LeaseObject> kind={leaseKind} params={params}>
      {(lease) => <MarketLease lease={lease} />}
    </ObjectPage>
  );
}

function MarketLease({ lease }: { readonly lease: LeaseObject }) {
  const session = useSession();
  const { id, spec, status } = lease;
  usePageTitle(id, 'Leases');
  const delivery = status?.delivery;
  const isActive = status?.state === 'LEASE_STATE_ACTIVE';
  const dseq = spec?.order.dseq ?? '';
  return (
    <>
      <header className="page-head">
        <h1 className="mono">{id}</h1>
        <StateWord {...marketState(lease)} />
        {isActive && delivery !== undefined && (
          <>
            <StateWord {...leaseHealth(delivery.health)} />
            <p className="dim">{delivery.message}</p>
          </>
        )}
        {isActive && (
          <div className="page-actions">
            {may(session, 'Preview', deploymentKind) && (
              <Link href={updateHref(dseq)} className="quiet-button link-as-button">
                Update
              </Link>
            )}
            <CloseButton lease={lease} />
          </div>
        )}
      </header>
      {isActive && delivery !== undefined && delivery.refusal !== '' && (
        <p className="stale-notice" role="status">
          The provider refuses the newest manifest: {delivery.refusal.replace(/\.$/, '')}.{' '}
          {delivery.manifest_hash === '' ? 'No version is deployed.' : 'The previous version keeps running.'}
        </p>
      )}
      <LeaseViews lease={lease}>
        <LeaseOverview lease={lease} />
      </LeaseViews>
    </>
  );
}

function LeaseOverview({ lease }: { readonly lease: LeaseObject }) {
  const session = useSession();
  const { id, spec, status } = lease;
  const delivery = status?.delivery;
  const isActive = status?.state === 'LEASE_STATE_ACTIVE';
  const dseq = spec?.order.dseq ?? '';
  const reported = momentOf(delivery?.reported_at);
  return (
    <>
      <Panel title="Progress" aside="from the lease to the current state" source="market">
        <PhaseLine phases={deliveryPhases(lease)} />
      </Panel>
      <Panel
        title="Services"
        aside={
          reported === undefined ? undefined : (
            <>
              reported by the provider <TimeAgo at={reported} />
            </>
          )
        }
        source="market"
      >
        <Services delivery={delivery} isActive={isActive} />
      </Panel>
      <Panel title="Facts" source="market">
        <ObjectFacts
          object={lease}
          facts={[
            [
              'Deployment',
              dseq !== '' && (
                <Link key="deployment" href={objectHref(deploymentKind, dseq)}>
                  {`${dseq}, ${spec?.group_name ?? ''}`}
                </Link>
              ),
            ],
            ['Provider', spec?.provider],
            [
              'Price',
              <span key="price" title={exactPrice(spec?.price)}>
                {perMonth(spec?.price)} per month
              </span>,
            ],
            [
              'Delivery',
              delivery === undefined ? 'not reported yet' : [leaseState(delivery.state).word, delivery.reason].filter(Boolean).join(', '),
            ],
            ['Manifest', (delivery?.manifest_hash ?? '') !== '' && <CopyId key="manifest" id={delivery?.manifest_hash ?? ''} />],
            [
              'Running lease',
              session.hasClusterService && spec !== undefined && (
                <Link key="running" href={leaseHref(spec.order)}>
                  {leaseNumbers(spec.order)}
                </Link>
              ),
            ],
          ]}
        />
      </Panel>
      <Panel title="Command line">
        <CopyLine text={`npx quartermaster lease status ${id}`} />
        {isActive && <CopyLine text={`npx quartermaster lease update ${id} FILE`} />}
      </Panel>
    </>
  );
}

function Services({ delivery, isActive }: { readonly delivery: Delivery | undefined; readonly isActive: boolean }) {
  if (delivery === undefined || delivery.services.length === 0) {
    const why = delivery === undefined ? 'The provider has not reported what is running yet.' : 'Nothing is deployed yet.';
    return <p className="empty-line">{isActive ? why : 'Nothing is running any more.'}</p>;
  }
  return (
    <PlainTable headings={['Service', 'Available', 'Addresses']} numbers={['Available']} layout="lease-table delivered-table">
      {delivery.services.map(({ name, health, count, available, uris, problems }) => (
        <Fragment key={name}>
          <tr>
            <th scope="row">{name}</th>
            <td className="number">{`${formatInteger(available)} of ${formatInteger(count)}`}</td>
            <td>
              {uris.length === 0 ? (
                <span className="dim">not exposed</span>
              ) : (
                <span className="link-list">
                  {uris.map((uri) => (
                    <code key={uri}>{uri}</code>
                  ))}
                </span>
              )}
            </td>
          </tr>
          {problems.length > 0 && (
            <tr className="problem-row">
              <td colSpan={3}>
                <ul className="conditions">
                  {problems.map((problem) => (
                    <li key={problem}>
                      <Dot tone={problemTone(health)} />
                      <strong>{name}</strong>
                      <span>{sentenceCase(problem)}</span>
                    </li>
                  ))}
                </ul>
              </td>
            </tr>
          )}
        </Fragment>
      ))}
    </PlainTable>
  );
}

function CloseButton({ lease }: { readonly lease: LeaseObject }) {
  const session = useSession();
  const queries = useQueryClient();
  if (!may(session, 'Close', leaseKind)) return null;
  const { id, spec, status } = lease;
  const provider = spec?.provider ?? '';
  const services = status?.delivery?.services ?? [];
  const uris = services.flatMap((service) => service.uris);
  return (
    <ConfirmButton
      label="Close"
      title={`Close lease ${id}`}
      isGrave
      consequences={[
        services.length === 0
          ? `The lease with ${provider} ends.`
          : `${countOf(services.length, 'service')} (${services.map(({ name }) => name).join(', ')}) at ${provider} ${services.length === 1 ? 'is' : 'are'} stopped, and data in ${services.length === 1 ? 'its' : 'their'} volumes is deleted.`,
        ...(uris.length === 0 ? [] : [`${uris.join(', ')} ${uris.length === 1 ? 'is' : 'are'} released.`]),
        `Saves ${perMonth(spec?.price)} per month. The market creates a new order for the group ${spec?.group_name ?? ''}, and other bids may be accepted.`,
        'To end it for good, close the deployment instead.',
      ]}
      reasonHint="The provider sees it."
      typed={id}
      act={async (reason) => {
        await callApi(`${marketPath}/leases/${encodeURIComponent(id)}:close`, { method: 'POST', body: { reason } });
        await queries.invalidateQueries({ queryKey: objectKey(leaseKind, id) });
        for (const kind of [orderKind, bidKind, leaseKind]) void queries.invalidateQueries({ queryKey: listsKey(kind) });
      }}
      said={`Closed lease ${id}. The market creates a new order for its group.`}
    />
  );
}
