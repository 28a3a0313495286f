import { Link } from 'wouter';
import type { PodDetail } from '../../kubernetes-view.ts';
import { problemText } from '../api/api-error.ts';
import { ObjectEvents } from '../events/object-events.tsx';
import type { RouteParams } from '../frame/console-page.ts';
import { useLeaseOfNamespace } from '../lease-model/use-leases.ts';
import { nodeHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { podTone } from '../model/pod-tone.ts';
import { Chain, Missing, Step } from '../parts/chain.tsx';
import { CopyLine } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { LeaseLink, LeaseStep } from '../parts/lease-link.tsx';
import { NodeStep } from '../parts/node-step.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { Ghosts } from '../parts/waiting.tsx';
import { useInstallation } from '../upstreams/use-installation.ts';
import { PodLog } from './pod-log.tsx';
import { PodConditions, PodContainers, PodGpus, PodRequests } from './pod-panels.tsx';
import { PodsUnread } from './pods-unread.tsx';
import { type PodRef, usePod } from './use-pod.ts';

/** One pod: where it runs, what it takes, how its containers are, what happened to it, and what they write. */
export function PodPage({ params }: { readonly params: RouteParams }) {
  const ref = { namespace: params['namespace'] ?? '', name: params['name'] ?? '' };
  usePageTitle(ref.name, 'Pods');
  const isRead = useInstallation()?.kubernetes;
  if (isRead === true) return <PodView podRef={ref} />;
  if (isRead === undefined) return <Ghosts>Loading the pod …</Ghosts>;
  return <PodsUnread />;
}

function PodView({ podRef }: { readonly podRef: PodRef }) {
  const { pod, problem } = usePod(podRef);
  const { namespace, name } = podRef;
  const isGone = problem?.code === 'not_found';
  return (
    <>
      <header className="page-head">
        <PodChain podRef={podRef} pod={pod} />
        <h1 className="mono">{name}</h1>
        {pod !== undefined && (
          <StateWord tone={podTone(pod.phase)} word={pod.reason === undefined ? pod.phase : `${pod.phase}, ${pod.reason}`} />
        )}
        {pod?.createdAt !== undefined && (
          <p className="dim">
            created <TimeAgo at={pod.createdAt} />
          </p>
        )}
      </header>
      {problem !== undefined && (
        <p className="stale-notice" role="alert">
          {isGone
            ? `There is no pod ${namespace}/${name} any more.${pod === undefined ? ' Its name may be wrong, or it was deleted.' : ' The last known state is shown.'}`
            : problemText(problem)}
        </p>
      )}
      {pod === undefined && problem === undefined && <Ghosts>Loading the pod …</Ghosts>}
      {pod !== undefined && (
        <div data-stale={isGone ? 'true' : undefined}>
          <PodRequests pod={pod} />
          <PodGpus pod={pod} />
          <PodContainers pod={pod} />
          <PodConditions pod={pod} />
        </div>
      )}
      <ObjectEvents of={{ kind: 'Pod', namespace, name }} />
      {pod !== undefined && !isGone && <PodLog pod={pod} />}
      {pod !== undefined && <PodFacts pod={pod} />}
      <Panel title="Command line">
        <CopyLine text={`kubectl describe pod ${name} --namespace ${namespace}`} />
        <CopyLine text={`kubectl get pod ${name} --namespace ${namespace} --output yaml`} />
        <CopyLine text={`kubectl logs ${name} --namespace ${namespace} --all-containers --follow`} />
      </Panel>
    </>
  );
}

/** Node → pod → lease. */
function PodChain({ podRef: { namespace, name }, pod }: { readonly podRef: PodRef; readonly pod: PodDetail | undefined }) {
  const lease = useLeaseOfNamespace(namespace);
  return (
    <Chain
      steps={{
        node:
          pod?.node === undefined ? (
            <Missing>{pod === undefined ? 'node …' : 'not placed on a node yet'}</Missing>
          ) : (
            <NodeStep name={pod.node} />
          ),
        pod: <Step tone={podTone(pod?.phase ?? 'Unknown')} word="" name={name} href={undefined} />,
        lease: lease !== undefined && <LeaseStep lease={lease} />,
      }}
    />
  );
}

function PodFacts({ pod }: { readonly pod: PodDetail }) {
  const lease = useLeaseOfNamespace(pod.namespace);
  const { namespace, node, owner, serviceAccount, startedAt, createdAt, restarts, labels } = pod;
  return (
    <Panel title="Facts">
      <Facts
        facts={[
          ['Namespace', namespace],
          ['Lease', lease !== undefined && <LeaseLink lease={lease} />],
          ['Node', node !== undefined && <Link href={nodeHref(node)}>{node}</Link>],
          ['Controlled by', owner !== undefined && `${owner.kind} ${owner.name}`],
          ['Service account', serviceAccount],
          ['Created', createdAt !== undefined && <TimeAgo at={createdAt} />],
          ['Started', startedAt !== undefined && <TimeAgo at={startedAt} />],
          ['Restarts', formatInteger(restarts)],
          ...Object.entries(labels).map(
            ([key, value]) =>
              [
                key,
                <span key={key} className="mono">
                  {value === '' ? '(empty)' : value}
                </span>,
              ] as const,
          ),
        ]}
      />
    </Panel>
  );
}
