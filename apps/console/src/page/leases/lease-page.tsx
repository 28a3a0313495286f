import type { OrderIdJson, RunningLeaseJson } from '@quartermaster/api/cluster';
import { leaseHealth, leaseState, orderText } from '@quartermaster/api/states';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { callApi } from '../api/call-api.ts';
import { leaseKind, may, objectHref } from '../api/object-kind.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { TenantAlone } from '../gateway/lease-views.tsx';
import { closeConsequences, gpusOf, isOver, leaseNumbers, marketLeaseId, nodesOf } from '../lease-model/lease-words.ts';
import { leaseObstacle, leasePath, leasesPath, useLease } from '../lease-model/use-leases.ts';
import { useNow } from '../live/use-live.ts';
import { ConfirmButton } from '../market/confirm-button.tsx';
import { orderHref } from '../market/market-objects.ts';
import { exactPrice, perMonth } from '../market/price-words.ts';
import { leasesHref, nodeHref, quoted } from '../model/addresses.ts';
import { countOf } from '../model/amounts.ts';
import { formatDuration, formatMoments } from '../model/relative-time.ts';
import { shortId } from '../model/short-id.ts';
import { Chain, Missing, Step } from '../parts/chain.tsx';
import { CopyId, CopyLine } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { NodeStep } from '../parts/node-step.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { Panel } from '../parts/panel.tsx';
import { PhaseLine } from '../parts/phase-line.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';
import { Ghosts } from '../parts/waiting.tsx';
import { shortOrder } from '../reservations/reservation-words.ts';
import { reservationHref } from '../reservations/use-reservations.ts';
import { useSession } from '../session/session.ts';
import { clusterServicePath, serviceKey, serviceProblem, useClusterAccess } from '../upstreams/use-cluster-service.ts';
import { HostnamesPanel } from './hostnames-panel.tsx';
import { priceOf } from './lease-columns.tsx';
import { PodsPanel, Problems, ServicesPanel, VolumesPanel } from './lease-panels.tsx';
import { leasePhases } from './lease-phases.ts';
import { ShellsPanel } from './shells-panel.tsx';

/** One lease: from the order to running, what runs of it where, and what is wrong. */
export function LeasePage({ params }: { readonly params: RouteParams }) {
  const order: OrderIdJson = {
    owner: params['owner'] ?? '',
    dseq: params['dseq'] ?? '0',
    gseq: Number(params['gseq'] ?? 0),
    oseq: Number(params['oseq'] ?? 0),
  };
  usePageTitle(leaseNumbers(order), 'Leases');
  const { data, problem } = useLease(order);
  const lease = data?.lease;
  const isGone = problem?.code === 'not_found';
  return (
    <>
      <header className="page-head">
        <LeaseChain order={order} lease={lease} />
        <h1 className="mono" title={orderText(order)}>
          {shortOrder(order)}
        </h1>
        {lease !== undefined && !isGone && (
          <>
            <StateWord {...leaseState(lease.state)} />
            <StateWord {...leaseHealth(lease.health)} />
            <p className="dim">
              {(lease.message || lease.reason || '').replace(/\.$/, '')}
              <ForHowLong since={momentOf(lease.since)} />
            </p>
            <div className="page-actions">
              <CloseLease lease={lease} />
            </div>
          </>
        )}
      </header>
      {problem !== undefined && (
        <p className="stale-notice" role="alert">
          {isGone ? `This provider has no lease ${orderText(order)}: it ended some time ago, or never existed.` : serviceProblem(problem)}
          {lease !== undefined && ' The last known state is shown.'}
        </p>
      )}
      {lease === undefined && problem === undefined && <Ghosts>Loading the lease …</Ghosts>}
      {lease !== undefined && (
        <div data-stale={isGone ? 'true' : undefined}>
          <LeaseBody lease={lease} isLastKnown={problem !== undefined} />
        </div>
      )}
      <Panel title="Command line">
        <CopyLine text={`npx quartermaster describe running-lease ${orderText(order)}`} />
        {lease?.namespace !== undefined && lease.namespace !== '' && (
          <CopyLine text={`kubectl get pods,deploy,sts,svc,pvc,netpol,quota --namespace ${lease.namespace}`} />
        )}
      </Panel>
    </>
  );
}

function LeaseBody({ lease, isLastKnown }: { readonly lease: RunningLeaseJson; readonly isLastKnown: boolean }) {
  const { refused, leftovers = [] } = lease;
  const shown = { lease, isLastKnown };
  return (
    <>
      <EndNotice lease={lease} />
      {refused !== undefined && !isOver(lease) && (
        <p className="stale-notice" role="status">
          The newest manifest has been refused
          <ForHowLong since={momentOf(refused.since)} />: {(refused.message || refused.code || '').replace(/\.$/, '')}.{' '}
          {(lease.manifestHash ?? '') === '' ? 'No version is deployed.' : 'The previous version keeps running.'}
        </p>
      )}
      <Panel title="Progress" aside="from the order to the current state" isLastKnown={isLastKnown}>
        <PhaseLine phases={leasePhases(lease)} />
      </Panel>
      {leftovers.length > 0 && (
        <Panel title="Not removed yet" aside="removal is retried" isLastKnown={isLastKnown}>
          <Problems problems={leftovers} />
        </Panel>
      )}
      <ServicesPanel {...shown} />
      <PodsPanel {...shown} />
      <HostnamesPanel {...shown} />
      <VolumesPanel {...shown} />
      <ShellsPanel {...shown} />
      <TenantAlone />
      <LeaseFacts {...shown} />
    </>
  );
}

/** That something ends the lease unless it changes is said before it does. */
function EndNotice({ lease: { unhealthySince, closesAt } }: { readonly lease: RunningLeaseJson }) {
  const now = useNow();
  const [since, ends] = [momentOf(unhealthySince), momentOf(closesAt)];
  if (since === undefined && ends === undefined) return null;
  return (
    <p className="stale-notice" role="status">
      {since !== undefined && (
        <>
          It has been unhealthy
          <ForHowLong since={since} />.{' '}
        </>
      )}
      {ends !== undefined && (
        <time title={formatMoments(ends)}>
          {ends > now
            ? `The lease will be closed in ${formatDuration(ends - now)} ${since === undefined ? 'unless a manifest is accepted' : 'unless it becomes healthy'}.`
            : 'The lease is about to be closed.'}
        </time>
      )}
    </p>
  );
}

/** Node → GPUs → lease. */
function LeaseChain({ order, lease }: { readonly order: OrderIdJson; readonly lease: RunningLeaseJson | undefined }) {
  const { tone, word } = lease === undefined ? { tone: 'unknown' as const, word: '' } : leaseState(lease.state);
  const [first, ...more] = lease === undefined ? [] : nodesOf(lease);
  const gpus = lease === undefined ? 0 : gpusOf(lease);
  return (
    <Chain
      steps={{
        node:
          first === undefined ? (
            <Missing>{lease === undefined ? 'node …' : `on no node ${isOver(lease) ? 'any more' : 'yet'}`}</Missing>
          ) : (
            <>
              <NodeStep name={first} />
              {more.length > 0 && (
                <span className="dim" title={more.join(', ')}>
                  and {countOf(more.length, 'more node')}
                </span>
              )}
            </>
          ),
        gpu: lease !== undefined && (gpus === 0 ? <Missing>no GPUs</Missing> : <span>{countOf(gpus, 'GPU')}</span>),
        lease: <Step tone={tone} word={word.toLowerCase()} name={leaseNumbers(order)} href={undefined} />,
      }}
    />
  );
}

function LeaseFacts({ lease, isLastKnown }: { readonly lease: RunningLeaseJson; readonly isLastKnown: boolean }) {
  const session = useSession();
  const { order = {}, provider = '', namespace = '', namespaceUid = '', marketState = '', manifestHash = '', reason = '' } = lease;
  const { owner = '', dseq = '0', gseq = 0, oseq = 0 } = order;
  const price = priceOf(lease);
  return (
    <Panel title="Facts" isLastKnown={isLastKnown}>
      <Facts
        facts={[
          [
            'Tenant',
            <Link key="tenant" href={`${leasesHref}?q=${encodeURIComponent(`tenant:${quoted(owner)}`)}`} title={owner}>
              {shortId(owner)}
            </Link>,
          ],
          ['Lease', <CopyId key="lease" id={orderText(order)} />],
          ['Provider', provider !== '' && <CopyId key="provider" id={provider} />],
          ['Reason', reason],
          [
            'Price',
            price !== undefined && (
              <span key="price" title={exactPrice(price)}>
                {perMonth(price)} per month
              </span>
            ),
          ],
          [
            'At the market',
            may(session, 'Get', leaseKind) ? (
              <Link key="market" href={objectHref(leaseKind, marketLeaseId(lease))}>
                {marketState || 'unknown'}
              </Link>
            ) : (
              marketState || 'unknown'
            ),
          ],
          [
            'Order',
            session.hasMarket && (
              <Link key="order" href={orderHref({ owner, dseq, gseq, oseq })}>
                {leaseNumbers(order)}
              </Link>
            ),
          ],
          [
            'Reservation',
            <Link key="reservation" href={reservationHref(order)}>
              {leaseNumbers(order)}
            </Link>,
          ],
          [
            'Nodes',
            nodesOf(lease).length > 0 && (
              <span key="nodes" className="link-list">
                {nodesOf(lease).map((node) => (
                  <Link key={node} href={nodeHref(node)}>
                    {node}
                  </Link>
                ))}
              </span>
            ),
          ],
          [
            'Namespace',
            namespace !== '' && (
              <Link key="namespace" href={`/pods?q=${encodeURIComponent(`namespace:${quoted(namespace)}`)}`}>
                {namespace}
              </Link>
            ),
          ],
          ['Namespace UID', namespaceUid !== '' && <CopyId key="uid" id={namespaceUid} />],
          ['Manifest', manifestHash !== '' && <CopyId key="manifest" id={manifestHash} />],
        ]}
      />
    </Panel>
  );
}

/** Ends it at the market, after a question that names what goes; disabled with the reason for those who may not. */
function CloseLease({ lease }: { readonly lease: RunningLeaseJson }) {
  const queries = useQueryClient();
  const obstacle = leaseObstacle(useClusterAccess());
  const { order = {} } = lease;
  if (isOver(lease)) return null;
  const name = leaseNumbers(order);
  return (
    <ConfirmButton
      label="Close"
      title={`Close lease ${name}`}
      isGrave
      obstacle={obstacle}
      consequences={closeConsequences(lease)}
      reasonHint="The tenant sees it."
      typed={name}
      act={async (reason) => {
        await callApi(`${clusterServicePath}${leasePath(order)}:close`, { method: 'POST', body: { reason } });
        await queries.invalidateQueries({ queryKey: [serviceKey, leasePath(order)] });
        void queries.invalidateQueries({ queryKey: [serviceKey, leasesPath] });
      }}
      said={`Closed lease ${name} at the market. Its workload is removed once the market confirms this.`}
    />
  );
}
