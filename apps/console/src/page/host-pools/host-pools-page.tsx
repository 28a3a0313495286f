import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { hostPoolKind } from '../api/object-kind.ts';
import { objectHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { CreateButton } from '../objects/create-button.tsx';
import { type ObjectColumn, ObjectTable } from '../objects/object-table.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { HostPoolForm } from './host-pool-form.tsx';
import { type HostPoolObject, poolState, wantedHosts } from './host-pool-object.ts';

const href = ({ id }: HostPoolObject): string => objectHref('host_pools', id);

const columns: readonly ObjectColumn<HostPoolObject>[] = [
  {
    name: 'name',
    heading: 'Name',
    orderBy: 'metadata.name',
    titleOf: ({ id }) => id,
    show: (pool) => (
      <Link href={href(pool)} tabIndex={-1}>
        {nameOf(pool)}
      </Link>
    ),
  },
  {
    name: 'tenants',
    heading: 'Belongs to',
    titleOf: ({ metadata }) => metadata.tenants.join(', '),
    show: ({ metadata }) => metadata.tenants.join(', '),
  },
  { name: 'state', heading: 'State', orderBy: 'status.state', show: (pool) => <StateWord {...poolState(pool)} /> },
  {
    name: 'hosts',
    heading: 'Hosts',
    isNumber: true,
    show: (pool) => `${formatInteger(pool.status?.hosts.length ?? 0)} of ${formatInteger(wantedHosts(pool))}`,
  },
];

/** Hosts that tenants hold without a cluster. */
export function HostPoolsPage() {
  return (
    <ObjectTable<HostPoolObject>
      kind={hostPoolKind}
      title="Host pools"
      layout="host-pool"
      columns={columns}
      defaultOrder="name"
      hrefOf={href}
      filterHint={'this.metadata.name == "spare"'}
      actions={
        <CreateButton<HostPoolObject>
          kind={hostPoolKind}
          label="New host pool"
          form={({ cancel, saved }) => <HostPoolForm onCancel={cancel} onSaved={saved} />}
        />
      }
      empty={
        <p>
          There are no host pools: nobody holds hosts without a cluster. The button above makes one, and so does{' '}
          <code>quartermaster create hostpool</code>.
        </p>
      }
    />
  );
}
