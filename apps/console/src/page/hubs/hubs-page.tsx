import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { hubKind } from '../api/object-kind.ts';
import { objectHref } from '../model/addresses.ts';
import { CreateButton } from '../objects/create-button.tsx';
import { type ObjectColumn, ObjectTable } from '../objects/object-table.tsx';
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
  { name: 'kubeconfig', heading: 'Kubeconfig', show: ({ kubeconfig, kubeconfig_ref: reference }) => secretWords(kubeconfig, reference) },
  { name: 'pull', heading: 'Pull secret', show: ({ pull_secret: secret, pull_secret_ref: reference }) => secretWords(secret, reference) },
];

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
