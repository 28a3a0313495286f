import { clusterState } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { clusterKind, hostKind, hubKind, listHref, templateKind } from '../api/object-kind.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { countOf } from '../model/amounts.ts';
import { ConditionsPanel } from '../objects/conditions-panel.tsx';
import { ObjectName } from '../objects/object-name.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { ObjectView } from '../objects/object-view.tsx';
import { OpenedPanel } from '../objects/opened-panel.tsx';
import { Chain, Missing, Step } from '../parts/chain.tsx';
import type { FactList } from '../parts/facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { PhaseLine } from '../parts/phase-line.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
import { ClusterEditForm } from './cluster-edit-form.tsx';
import { ClusterNodes } from './cluster-nodes.tsx';
import { type ClusterObject, hostCounts, ofCluster } from './cluster-object.ts';
import { clusterPhases } from './cluster-phases.ts';
import { NodeSetsPanel } from './node-sets-panel.tsx';
import { parameterText } from './parameter-value.ts';
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
        <PhaseLine phases={clusterPhases(cluster)} />
      </Panel>
      <NodeSetsPanel cluster={cluster} />
      <ConditionsPanel conditions={cluster.status?.conditions} />
      <WayInPanel cluster={cluster} />
      <OpenedPanel kind={clusterKind} object={cluster} />
    </ObjectView>
  );
}

/** Hosts → cluster → nodes, each with its state. */
function ClusterChain({ cluster }: { readonly cluster: ClusterObject }) {
  const { isStaff } = useSession();
  const { assigned } = hostCounts(cluster);
  return (
    <Chain
      steps={{
        hosts:
          assigned === 0 ? (
            <Missing>no hosts yet</Missing>
          ) : (
            <Link href={listHref(hostKind, ofCluster(cluster))}>{countOf(assigned, 'host')}</Link>
          ),
        cluster: <Step {...clusterState(cluster)} name={nameOf(cluster)} href={undefined} />,
        nodes: isStaff && <ClusterNodes cluster={cluster} />,
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
