import { hostClassKind, hostKind } from '../api/object-kind.ts';
import { freeOfClass, ofClass } from '../claims/class-stock.ts';
import { type ObjectColumn, titleColumn } from '../objects/object-columns.tsx';
import { ObjectCount } from '../objects/object-count.tsx';
import { ObjectTable } from '../objects/object-table.tsx';
import { useSession } from '../session/session.ts';
import { HostClassForm, type HostClassObject } from './host-class-form.tsx';

const counted = (name: string, heading: string, filterOf: (id: string) => string): ObjectColumn<HostClassObject> => ({
  name,
  heading,
  isNumber: true,
  show: ({ id }) => <ObjectCount kind={hostKind} filter={filterOf(id)} />,
});

const staffColumns = [titleColumn, counted('free', 'Free', freeOfClass), counted('total', 'Hosts', ofClass)];
/** A tenant sees the hosts of its own clusters and no others: what is free is not for it to know. */
const tenantColumns = [titleColumn, counted('total', 'Your hosts', ofClass)];

/** What kinds of hosts there are, and how many of each are left to give away. */
export function HostClassesPage() {
  const { isStaff } = useSession();
  return (
    <ObjectTable<HostClassObject>
      kind={hostClassKind}
      layout={isStaff ? 'host-class' : 'tenant-host-class'}
      columns={isStaff ? staffColumns : tenantColumns}
      filterHint="filter: words, title:h100, or CEL"
      create={{ label: 'New host class', form: HostClassForm }}
      empty={
        <p>
          There are no host classes. Sources report them with their hosts, and <code>quartermaster create hostclass</code> creates one.
        </p>
      }
    />
  );
}
