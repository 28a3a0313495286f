import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { clusterKind, hubKind } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
import { celText } from '../hosts/host.ts';
import { kindHref, objectHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { CreateButton } from '../objects/create-button.tsx';
import { type ObjectColumn, ObjectTable } from '../objects/object-table.tsx';
import { Changing } from '../parts/changing.tsx';
import { HubForm } from './hub-form.tsx';
import { type HubObject, secretWords } from './hub-object.ts';

const href = ({ id }: HubObject): string => objectHref('hubs', id);

const columns: readonly ObjectColumn<HubObject>[] = [
  {
    name: 'name',
    heading: 'Name',
    orderBy: 'metadata.name',
    titleOf: ({ id }) => id,
    show: (hub) => (
      <Link href={href(hub)} tabIndex={-1}>
        {nameOf(hub)}
      </Link>
    ),
  },
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
    show: ({ id }) => <ClusterCount hub={id} />,
  },
  { name: 'kubeconfig', heading: 'Kubeconfig', show: ({ kubeconfig, kubeconfig_ref: reference }) => secretWords(kubeconfig, reference) },
  { name: 'pull', heading: 'Pull secret', show: ({ pull_secret: secret, pull_secret_ref: reference }) => secretWords(secret, reference) },
];

function ClusterCount({ hub }: { readonly hub: string }) {
  const filter = `this.status.hub == ${celText(hub)}`;
  const total = useObjects(clusterKind, { filter, limit: 0 }).data?.total;
  if (total === undefined) return <span className="dim">…</span>;
  return (
    <Link href={`${kindHref('clusters')}?q=${encodeURIComponent(filter)}`} tabIndex={-1}>
      <Changing value={total}>{formatInteger(total)}</Changing>
    </Link>
  );
}

/** The Kubernetes clusters that provision the clusters of tenants. */
export function HubsPage() {
  return (
    <ObjectTable<HubObject>
      kind={hubKind}
      title="Hubs"
      layout="hub"
      columns={columns}
      defaultOrder="name"
      hrefOf={href}
      filterHint={'this.namespace == "clusters"'}
      actions={
        <CreateButton<HubObject>
          kind={hubKind}
          label="New hub"
          form={({ cancel, saved }) => <HubForm onCancel={cancel} onSaved={saved} />}
        />
      }
      empty={
        <p>
          There are no hubs, so that nobody provisions clusters. The button above adds one, and so does{' '}
          <code>quartermaster create hub</code>.
        </p>
      }
    />
  );
}
