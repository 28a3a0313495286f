import { useMemo } from 'react';
import { clusterKind, hubKind, may, templateKind } from '../api/object-kind.ts';
import { useNamesOf } from '../objects/names-of.ts';
import { ObjectTable } from '../objects/object-table.tsx';
import { useSession } from '../session/session.ts';
import { clusterColumns } from './cluster-columns.tsx';
import { ClusterCreateForm } from './cluster-create-form.tsx';

const examples: Readonly<Record<string, string>> = {
  ready: 'this.status.state == CLUSTER_STATE_READY',
  'not ready': 'this.status.state != CLUSTER_STATE_READY',
  failed: 'this.status.state == CLUSTER_STATE_FAILED',
};

/** All clusters that the session may see: whether they can be used, and what the others wait for. */
export function ClustersPage() {
  const session = useSession();
  const { isStaff } = session;
  const templates = useNamesOf(templateKind);
  const hubs = useNamesOf(hubKind);
  const columns = useMemo(() => clusterColumns({ templates, hubs }, isStaff), [templates, hubs, isStaff]);
  return (
    <ObjectTable
      kind={clusterKind}
      layout={isStaff ? 'cluster' : 'tenant-cluster'}
      columns={columns}
      filterHint="filter: words, state:failed tenant:acme, or CEL"
      examples={examples}
      create={{ label: 'Order a cluster', form: ClusterCreateForm }}
      empty={
        <p>
          No cluster has been ordered.{' '}
          {may(session, 'Create', clusterKind) ? 'The button above orders one from a template' : 'One appears here when it is ordered'}; so
          does <code>quartermaster create cluster</code>.
        </p>
      }
    />
  );
}
