import { hostState, powerShort, powerWords } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { celText, clusterKind, hostKind, listHref, objectHref } from '../api/object-kind.ts';
import { NamedObject, type ObjectColumn, stateColumn } from '../objects/object-columns.tsx';
import { Changing } from '../parts/changing.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { type Host, rackHref } from './host.ts';

const none = <span className="dim">–</span>;

const title: ObjectColumn<Host> = { name: 'title', heading: 'Title', orderBy: 'spec.title', show: ({ spec }) => spec?.title || none };

const rack: ObjectColumn<Host> = {
  name: 'rack',
  heading: 'Rack',
  orderBy: 'spec.rack',
  show: ({ spec: { rack: name = '', rack_unit: unit = 0 } = {} }) =>
    name === '' ? (
      none
    ) : (
      <Link href={rackHref(name)} tabIndex={-1}>
        {name}
        {unit > 0 && ` · ${unit}`}
      </Link>
    ),
};

const power: ObjectColumn<Host> = {
  name: 'power',
  heading: 'Power',
  titleOf: powerWords,
  show: (host) => <Changing value={powerShort(host)}>{powerShort(host)}</Changing>,
};

const source: ObjectColumn<Host> = {
  name: 'source',
  heading: 'Source',
  orderBy: 'status.source.name',
  show: ({ status }) => status?.source?.name || <span className="dim">manual</span>,
};

const seen: ObjectColumn<Host> = {
  name: 'seen',
  heading: 'Last seen',
  isNumber: true,
  show: ({ status }) => {
    const at = momentOf(status?.source?.last_seen);
    return at === undefined ? none : <TimeAgo at={at} />;
  },
};

/** What a table of hosts calls the objects that hosts name: id -> name. */
interface Names {
  readonly clusters: ReadonlyMap<string, string>;
  readonly classes: ReadonlyMap<string, string>;
}

const hostsOfClass = (id: string): string => listHref(hostKind, `this.spec.class == ${celText(id)}`);

/** The columns for those who run the installation, or for a tenant: to a tenant racks and sources do not exist. */
export function hostColumns({ clusters, classes }: Names, isStaff: boolean): readonly ObjectColumn<Host>[] {
  const state = stateColumn(hostState);
  const hostClass: ObjectColumn<Host> = {
    name: 'class',
    heading: 'Class',
    orderBy: 'spec.class',
    show: ({ spec }) => <NamedObject id={spec?.class} names={classes} hrefOf={hostsOfClass} />,
  };
  const cluster: ObjectColumn<Host> = {
    name: 'cluster',
    heading: 'Cluster',
    orderBy: 'status.cluster',
    show: ({ status }) => <NamedObject id={status?.cluster} names={clusters} hrefOf={(id) => objectHref(clusterKind, id)} />,
  };
  return isStaff ? [hostClass, rack, state, power, cluster, source, seen] : [title, hostClass, state, power, cluster];
}
