import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { hostClassKind } from '../api/object-kind.ts';
import { objectHref } from '../model/addresses.ts';
import { CreateButton } from '../objects/create-button.tsx';
import { type ObjectColumn, ObjectTable } from '../objects/object-table.tsx';
import { useSession } from '../session/use-session.ts';
import { freeOfClass, HostCount, ofClass } from './class-counts.tsx';
import { HostClassForm } from './host-class-form.tsx';
import type { HostClassObject } from './host-class-object.ts';

const href = ({ id }: HostClassObject): string => objectHref('host_classes', id);

const name: ObjectColumn<HostClassObject> = {
  name: 'name',
  heading: 'Name',
  orderBy: 'metadata.name',
  titleOf: ({ id }) => id,
  show: (hostClass) => (
    <Link href={href(hostClass)} tabIndex={-1}>
      {nameOf(hostClass)}
    </Link>
  ),
};
const title: ObjectColumn<HostClassObject> = {
  name: 'title',
  heading: 'Title',
  orderBy: 'title',
  titleOf: ({ title: words }) => words,
  show: ({ title: words }) => words,
};
const counted = (id: string, heading: string, filterOf: (id: string) => string): ObjectColumn<HostClassObject> => ({
  name: id,
  heading,
  isNumber: true,
  show: (hostClass) => <HostCount filter={filterOf(hostClass.id)} />,
});

const staffColumns = [name, title, counted('free', 'Free', freeOfClass), counted('total', 'Hosts', ofClass)];
/** A tenant sees the hosts of its own clusters and no others: what is free is not for it to know. */
const tenantColumns = [name, title, counted('total', 'Your hosts', ofClass)];

/** What kinds of hosts there are, and how many of each are left to give away. */
export function HostClassesPage() {
  const { isStaff } = useSession();
  return (
    <ObjectTable<HostClassObject>
      kind={hostClassKind}
      title="Host classes"
      layout={isStaff ? 'host-class' : 'tenant-host-class'}
      columns={isStaff ? staffColumns : tenantColumns}
      defaultOrder="name"
      hrefOf={href}
      filterHint={'this.title.contains("H100")'}
      actions={
        <CreateButton<HostClassObject>
          kind={hostClassKind}
          label="New host class"
          form={({ cancel, saved }) => <HostClassForm onCancel={cancel} onSaved={saved} />}
        />
      }
      empty={
        <p>
          There are no host classes. Sources bring them in with their hosts, and <code>quartermaster create hostclass</code> makes one.
        </p>
      }
    />
  );
}
