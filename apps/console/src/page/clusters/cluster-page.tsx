import type { ReactNode } from 'react';
import { nameOf } from '../api/api-object.ts';
import { clusterKind, hubKind, templateKind } from '../api/object-kind.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { objectHref } from '../model/addresses.ts';
import { countOf } from '../model/amounts.ts';
import { momentOf } from '../model/api-words.ts';
import { AuditTimeline } from '../objects/audit-timeline.tsx';
import { ConditionList } from '../objects/condition-list.tsx';
import { ObjectActions } from '../objects/object-actions.tsx';
import { ObjectFacts } from '../objects/object-facts.tsx';
import { ObjectName } from '../objects/object-name.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { parameterText } from '../templates/parameter-value.ts';
import { ClusterEditForm } from './cluster-edit-form.tsx';
import { type ClusterObject, hostCounts } from './cluster-object.ts';
import { clusterState } from './cluster-phases.ts';
import { NodeSetsPanel } from './node-sets-panel.tsx';
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

/** Whose it is and what it was made from; the hosts of the chain are below. */
function ClusterChain({ cluster: { metadata, spec, status } }: { readonly cluster: ClusterObject }) {
  const template = spec?.template ?? '';
  return (
    <nav aria-label="Chain" className="chain-steps">
      <span>{metadata.tenants.join(', ')}</span>
      <span aria-hidden="true">→</span>
      <ObjectName kind={templateKind} id={template} href={objectHref('cluster_templates', template)} />
      {status?.hub !== undefined && (
        <>
          <span aria-hidden="true">→</span>
          {status.hub === '' ? (
            <span className="dim">no hub yet</span>
          ) : (
            <ObjectName kind={hubKind} id={status.hub} href={objectHref('hubs', status.hub)} />
          )}
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
  return [
    ...(status?.alias === undefined ? [] : ([['Alias', status.alias === '' ? 'none yet' : status.alias]] as const)),
    ...(status?.port === undefined ? [] : ([['Port', status.port === 0 ? 'none yet' : String(status.port)]] as const)),
    ...Object.entries(spec?.template_parameters ?? {}).map(
      ([name, value]) => [name, <code key={name}>{parameterText(value)}</code>] as const,
    ),
  ];
}
