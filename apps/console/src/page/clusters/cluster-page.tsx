import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { clusterKind, hubKind, templateKind } from '../api/object-kind.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { celText, hostsHref } from '../hosts/host.ts';
import { objectHref } from '../model/addresses.ts';
import { countOf } from '../model/amounts.ts';
import { AuditTimeline } from '../objects/audit-timeline.tsx';
import { ConditionList } from '../objects/condition-list.tsx';
import { ObjectActions } from '../objects/object-actions.tsx';
import { ObjectFacts } from '../objects/object-facts.tsx';
import { ObjectName } from '../objects/object-name.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { Panel } from '../parts/panel.tsx';
import { Dot, StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/use-session.ts';
import { ClusterEditForm } from './cluster-edit-form.tsx';
import { type ClusterObject, hostCounts } from './cluster-object.ts';
import { clusterState } from './cluster-phases.ts';
import { NodeSetsPanel } from './node-sets-panel.tsx';
import { parameterText } from './parameter-value.ts';
import { PhaseRow } from './phase-row.tsx';
import { WayInPanel } from './way-in-panel.tsx';

/** One cluster: where it stands and why, which hosts it has, how to get in, and what was done to it. */
export function ClusterPage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<ClusterObject> kind={clusterKind} params={params}>
      {(cluster) => <ClusterBody cluster={cluster} />}
    </ObjectPage>
  );
}

function ClusterBody({ cluster }: { readonly cluster: ClusterObject }) {
  const { tone, word } = clusterState(cluster);
  const { status } = cluster;
  const orderedAt = momentOf(cluster.metadata.creation_timestamp);
  return (
    <>
      <header className="page-head">
        <ClusterChain cluster={cluster} />
        <h1>{nameOf(cluster)}</h1>
        <StateWord tone={tone} word={word} />
        {orderedAt !== undefined && (
          <p className="dim">
            ordered <TimeAgo at={orderedAt} />
          </p>
        )}
        <ObjectActions
          kind={clusterKind}
          object={cluster}
          form={(onDone) => <ClusterEditForm cluster={cluster} onDone={onDone} />}
          consequences={consequencesOf(cluster)}
          isGrave={hostCounts(cluster).assigned > 0}
        />
      </header>
      <Panel title="Progress" source="fulfillment">
        <PhaseRow cluster={cluster} />
      </Panel>
      <NodeSetsPanel cluster={cluster} />
      <Panel title="Conditions" source="fulfillment">
        <ConditionList conditions={status?.conditions ?? []} none="No controller has said anything about it yet." />
      </Panel>
      <WayInPanel cluster={cluster} />
      <Panel title="Facts" source="fulfillment">
        <ObjectFacts object={cluster} facts={factsOf(cluster)} />
      </Panel>
      <AuditTimeline kind={clusterKind} id={cluster.id} />
    </>
  );
}

/** Where the cluster stands in everything: hosts → cluster → nodes. A missing step says why it is missing. */
function ClusterChain({ cluster }: { readonly cluster: ClusterObject }) {
  const { isStaff } = useSession();
  const { assigned } = hostCounts(cluster);
  return (
    <nav aria-label="Chain" className="chain-steps">
      {assigned === 0 ? (
        <span className="dim">no hosts yet</span>
      ) : (
        <Link href={hostsHref(`this.status.cluster == ${celText(cluster.id)}`)}>{countOf(assigned, 'host')}</Link>
      )}
      <span aria-hidden="true">→</span>
      <span className="chain-step">
        <Dot tone={clusterState(cluster).tone} />
        {nameOf(cluster)}
      </span>
      {isStaff && (
        <>
          <span aria-hidden="true">→</span>
          <span className="dim">
            {(cluster.status?.api_url ?? '') === '' ? 'no nodes before it is provisioned' : 'its nodes: on the page of each host'}
          </span>
        </>
      )}
    </nav>
  );
}

function consequencesOf(cluster: ClusterObject): readonly string[] {
  const { assigned } = hostCounts(cluster);
  const { metadata } = cluster;
  return [
    `The cluster ${nameOf(cluster)} of ${metadata.tenants.join(', ')} is given up for good, with everything that runs on it.`,
    ...(assigned > 0 ? [`Its ${countOf(assigned, 'host')} must be released before it is gone.`] : []),
    ...((metadata.finalizers?.length ?? 0) > 0
      ? [`It stays, marked as deleted, until ${metadata.finalizers?.join(', ') ?? ''} have cleaned up.`]
      : []),
  ];
}

/** What there is to know beside the rest. What the session's API does not have is left out, not shown as nothing. */
function factsOf({ spec, status }: ClusterObject): readonly (readonly [string, ReactNode])[] {
  const template = spec?.template ?? '';
  const hub = status?.hub;
  return [
    ['Template', <ObjectName key="template" kind={templateKind} id={template} href={objectHref('cluster_templates', template)} />],
    ...(hub === undefined
      ? []
      : [['Hub', hub === '' ? 'none yet' : <ObjectName key="hub" kind={hubKind} id={hub} href={objectHref('hubs', hub)} />] as const]),
    ...(status?.alias === undefined ? [] : ([['Alias', status.alias === '' ? 'none yet' : status.alias]] as const)),
    ...(status?.port === undefined ? [] : ([['Port', status.port === 0 ? 'none yet' : String(status.port)]] as const)),
    ...Object.entries(spec?.template_parameters ?? {}).map(
      ([name, value]) => [name, <code key={name}>{parameterText(value)}</code>] as const,
    ),
  ];
}
