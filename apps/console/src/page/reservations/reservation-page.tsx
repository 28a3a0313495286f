import type { OrderIdJson, ReservationJson } from '@quartermaster/api/cluster';
import { orderText, reservationState } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { leaseNumbers } from '../lease-model/lease-words.ts';
import { leaseHref } from '../lease-model/use-leases.ts';
import { reservationsHref } from '../model/addresses.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { numberOf } from '../model/card-names.ts';
import { shortId } from '../model/short-id.ts';
import { Chain, Step } from '../parts/chain.tsx';
import { CopyId, CopyLine } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Ghosts } from '../parts/waiting.tsx';
import { serviceProblem } from '../upstreams/use-cluster-service.ts';
import { PlanPanel, PromisePanel, RequestPanel } from './plan-panels.tsx';
import { Until } from './reservation-columns.tsx';
import { ReservationConditions } from './reservation-conditions.tsx';
import { nodesOf, podWords, shortOrder } from './reservation-words.ts';
import { UnreserveButton } from './unreserve-button.tsx';
import { useReservation } from './use-reservations.ts';

/** One reservation: what is promised to whom, until when, over which nodes, and how far it has become pods. */
export function ReservationPage({ params }: { readonly params: RouteParams }) {
  const order: OrderIdJson = {
    owner: params['owner'] ?? '',
    dseq: params['dseq'] ?? '0',
    gseq: Number(params['gseq'] ?? 0),
    oseq: Number(params['oseq'] ?? 0),
  };
  usePageTitle(`${order.dseq}/${order.gseq}/${order.oseq}`, 'Reservations');
  const { data, problem } = useReservation(order);
  const reservation = data?.reservation;
  const isGone = problem?.code === 'not_found';
  return (
    <>
      <header className="page-head">
        <ReservationChain order={order} reservation={reservation} />
        <h1 className="mono" title={orderText(order)}>
          {shortOrder(order)}
        </h1>
        {reservation !== undefined && !isGone && (
          <>
            <StateWord {...reservationState(reservation)} />
            <p className="dim">
              <Until reservation={reservation} />
            </p>
            <div className="page-actions">
              <UnreserveButton reservation={reservation} />
            </div>
          </>
        )}
      </header>
      {problem !== undefined && (
        <p className="stale-notice" role="alert">
          {isGone ? `There is no reservation for ${orderText(order)}: it expired, was given back, or never was.` : serviceProblem(problem)}
          {reservation !== undefined && ' The last known state is shown.'}
        </p>
      )}
      {reservation === undefined && problem === undefined && <Ghosts>Loading the reservation …</Ghosts>}
      {reservation !== undefined && (
        <div data-stale={isGone ? 'true' : undefined}>
          <ReservationPanels reservation={reservation} isLastKnown={problem !== undefined} />
        </div>
      )}
      <Panel title="Command line">
        <CopyLine text={`npx quartermaster describe reservation ${orderText(order)}`} />
        <CopyLine text={`npx quartermaster unreserve ${orderText(order)}`} />
      </Panel>
    </>
  );
}

interface ReservationPanelsProps {
  readonly reservation: ReservationJson;
  readonly isLastKnown: boolean;
}

function ReservationPanels({ reservation, isLastKnown }: ReservationPanelsProps) {
  const shown = { reservation, isLastKnown };
  return (
    <>
      <ReservationConditions {...shown} />
      <PromisePanel {...shown} />
      <PlanPanel {...shown} />
      <RequestPanel {...shown} />
      <ReservationFacts {...shown} />
    </>
  );
}

/** Owner → order → how many nodes. */
function ReservationChain({ order, reservation }: { readonly order: OrderIdJson; readonly reservation: ReservationJson | undefined }) {
  const { tone, word } = reservation === undefined ? { tone: 'unknown' as const, word: '' } : reservationState(reservation);
  const ownerHref = `${reservationsHref}?q=${encodeURIComponent(`owner:"${order.owner}"`)}`;
  return (
    <Chain
      steps={{
        owner: <Step tone="plain" word="" name={shortId(order.owner ?? '')} href={ownerHref} />,
        order: <Step tone={tone} word={word.toLowerCase()} name={`${order.dseq}/${order.gseq}/${order.oseq}`} href={undefined} />,
        nodes: reservation !== undefined && <span className="dim">{countOf(nodesOf(reservation).length, 'node')}</span>,
      }}
    />
  );
}

function ReservationFacts({ reservation, isLastKnown }: ReservationPanelsProps) {
  const { owner = '', order = {}, uid = '', phase, confirmed = false, createdAt, term, leaseNamespace, plan } = reservation;
  const created = momentOf(createdAt);
  return (
    <Panel title="Facts" isLastKnown={isLastKnown}>
      <Facts
        facts={[
          ['Owner', <CopyId key="owner" id={owner} />],
          ['Order', <CopyId key="order" id={orderText(order)} />],
          ['Until', <Until key="until" reservation={reservation} />],
          ['Confirmed', confirmed ? 'yes' : 'not yet: nobody may rely on it'],
          ['Created', created !== undefined && <TimeAgo at={created} />],
          ['Pods', podWords(reservation)],
          [
            'Running lease',
            phase === 'RESERVATION_PHASE_ACTIVE' ? (
              <Link key="lease" href={leaseHref(order)}>
                {leaseNumbers(order)}
              </Link>
            ) : (
              'none yet'
            ),
          ],
          [
            'Namespace',
            leaseNamespace === undefined ? (
              'none yet'
            ) : (
              <Link key="namespace" href={`/pods?q=${encodeURIComponent(`namespace:"${leaseNamespace.name ?? ''}"`)}`}>
                {leaseNamespace.name}
              </Link>
            ),
          ],
          ['Namespace UID', leaseNamespace?.uid !== undefined && <CopyId key="namespace-uid" id={leaseNamespace.uid} />],
          ['UID', uid !== '' && <CopyId key="uid" id={uid} />],
          ['Leader’s term', formatInteger(numberOf(term))],
          ['Planned by', plan?.generation !== undefined && `generation ${plan.generation.sequence ?? '0'} of the inventory`],
        ]}
      />
    </Panel>
  );
}
