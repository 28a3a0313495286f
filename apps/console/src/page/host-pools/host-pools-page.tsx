import { hostPoolState } from '@quartermaster/api/states';
import { hostPoolKind } from '../api/object-kind.ts';
import { formatInteger } from '../model/amounts.ts';
import { type ObjectColumn, stateColumn, tenantsColumn } from '../objects/object-columns.tsx';
import { ObjectTable } from '../objects/object-table.tsx';
import { HostPoolForm } from './host-pool-form.tsx';
import { type HostPoolObject, wantedHosts } from './host-pool-object.ts';

const columns: readonly ObjectColumn<HostPoolObject>[] = [
  tenantsColumn,
  stateColumn(hostPoolState),
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
    <ObjectTable
      kind={hostPoolKind}
      layout="host-pool"
      columns={columns}
      filterHint="filter: words, name:spare, or CEL"
      create={{ label: 'New host pool', form: HostPoolForm }}
      empty={
        <p>
          There are no host pools: no tenant holds hosts without a cluster. The button above creates one, and so does{' '}
          <code>quartermaster create hostpool</code>.
        </p>
      }
    />
  );
}
