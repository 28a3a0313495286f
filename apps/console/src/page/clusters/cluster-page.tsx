import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { celText, clusterKind, hostKind, hubKind, listHref, templateKind } from '../api/object-kind.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { countOf } from '../model/amounts.ts';
import { ConditionsPanel } from '../objects/conditions-panel.tsx';
import { ObjectName } from '../objects/object-name.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { ObjectView } from '../objects/object-view.tsx';
import { Chain } from '../parts/chain.tsx';
import type { FactList } from '../parts/facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { Dot } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
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
      {(cluster) => <ClusterView cluster={cluster} />}
    </ObjectPage>
  );
}

function ClusterView({ cluster }: { readonly cluster: ClusterObject }) {
  const orderedAt = momentOf(cluster.metadata.creation_timestamp);
  const { assigned } = hostCounts(cluster);
  const { tenants, finalizers = [] } = cluster.metadata;
  return (
    <ObjectView
      kind={clusterKind}
      object={cluster}
      chain={<ClusterChain cluster={cluster} />}
      state={clusterState(cluster)}
      lead={
        orderedAt !== undefined && (
          <p className="dim">
            ordered <TimeAgo at={orderedAt} />
          </p>
        )
      }
      form={ClusterEditForm}
      consequences={[
        `The cluster ${nameOf(cluster)} of ${tenants.join(', ')} is deleted for good, with everything that runs on it.`,
        assigned > 0 && `Its ${countOf(assigned, 'host')} must be released before it is gone.`,
        finalizers.length > 0 && `It stays, marked for deletion, until its finalizers are removed: ${finalizers.join(', ')}.`,
      ]}
      needsConfirmation={assigned > 0}
      facts={factsOf(cluster)}
    >
      <Panel title="Progress" source="fulfillment">
        <PhaseRow cluster={cluster} />
      </Panel>
      <NodeSetsPanel cluster={cluster} />
      <ConditionsPanel conditions={cluster.status?.conditions} />
      <WayInPanel cluster={cluster} />
    </ObjectView>
  );
}

/** Hosts → cluster → nodes. */
function ClusterChain({ cluster }: { readonly cluster: ClusterObject }) {
  const { isStaff } = useSession();
  const { assigned } = hostCounts(cluster);
  const ofCluster = `this.status.cluster == ${celText(cluster.id)}`;
  const nodes = (cluster.status?.api_url ?? '') === '' ? 'no nodes until it is provisioned' : 'its nodes: on the page of each host';
  return (
    <Chain
      steps={{
        hosts:
          assigned === 0 ? (
            <span className="dim">no hosts yet</span>
          ) : (
            <Link href={listHref(hostKind, ofCluster)}>{countOf(assigned, 'host')}</Link>
          ),
        cluster: (
          <span className="chain-step">
            <Dot tone={clusterState(cluster).tone} />
            {nameOf(cluster)}
          </span>
        ),
        nodes: isStaff && <span className="dim">{nodes}</span>,
      }}
    />
  );
}

/** What the session's API does not have is left out, not shown as nothing. */
function factsOf({ spec, status }: ClusterObject): FactList {
  const hub = status?.hub;
  return [
    ['Template', <ObjectName key="template" kind={templateKind} id={spec?.template ?? ''} />],
    ['Hub', hub === '' ? 'none yet' : hub && <ObjectName key="hub" kind={hubKind} id={hub} />],
    ['Alias', status?.alias === '' ? 'none yet' : status?.alias],
    ['Port', status?.port === 0 ? 'none yet' : status?.port],
    ...Object.entries(spec?.template_parameters ?? {}).map(
      ([name, value]) => [name, <code key={name}>{parameterText(value)}</code>] as const,
    ),
  ];
}
