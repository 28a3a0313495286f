import { celText } from '../../filter/cel-text.ts';
import { clusterKind, hubKind } from '../api/object-kind.ts';
import type { ObjectColumn } from '../objects/object-columns.tsx';
import { ObjectCount } from '../objects/object-count.tsx';
import { ObjectTable } from '../objects/object-table.tsx';
import { HubForm } from './hub-form.tsx';
import { type HubObject, secretWords } from './hub-object.ts';

const columns: readonly ObjectColumn<HubObject>[] = [
  {
    name: 'namespace',
    heading: 'Namespace',
    orderBy: 'namespace',
    titleOf: ({ namespace }) => namespace,
    show: ({ namespace }) => <span className="mono">{namespace}</span>,
  },
  { name: 'ip', heading: 'Address', orderBy: 'ip', show: ({ ip }) => <span className="mono">{ip}</span> },
  {
    name: 'clusters',
    heading: 'Clusters',
    isNumber: true,
    show: ({ id }) => <ObjectCount kind={clusterKind} filter={`this.status.hub == ${celText(id)}`} />,
  },
  { name: 'kubeconfig', heading: 'Kubeconfig', show: ({ kubeconfig, kubeconfig_ref: reference }) => secretWords(kubeconfig, reference) },
  { name: 'pull', heading: 'Pull secret', show: ({ pull_secret: secret, pull_secret_ref: reference }) => secretWords(secret, reference) },
];

/** The Kubernetes clusters that provision the clusters of tenants. */
export function HubsPage() {
  return (
    <ObjectTable
      kind={hubKind}
      layout="hub"
      columns={columns}
      filterHint="filter: words, namespace:clusters, or CEL"
      create={{ label: 'New hub', form: HubForm }}
      empty={
        <p>
          There are no hubs, so no clusters can be provisioned. Administrators add one with the button above, or with{' '}
          <code>quartermaster create hub</code>.
        </p>
      }
    />
  );
}
