import { hostState, powerShort, powerWords } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { clusterKind, hostKind, listHref, objectHref } from '../api/object-kind.ts';
import { claimRefusal } from '../claims/claim-refusal.ts';
import { ofClass } from '../claims/class-stock.ts';
import { isWantedBy, type WaitingSet } from '../claims/waiting-sets.ts';
import { countOf } from '../model/amounts.ts';
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
  /** The node sets that wait for hosts; undefined until they were read. */
  readonly waiting: readonly WaitingSet[] | undefined;
}

const hostsOfClass = (id: string): string => listHref(hostKind, ofClass(id));

/** `free; acme-train waits for 2 hosts like it (workers)`: empty where nobody does. */
function wantedWords(host: Host, waiting: readonly WaitingSet[]): string {
  const sets = waiting.filter((set) => isWantedBy(host, set));
  const words = sets.map(
    ({ cluster, line }) => `${nameOf(cluster)} waits for ${countOf(line.wanted - line.hosts.length, 'host')} like it (${line.name})`,
  );
  return words.length === 0 ? '' : `free; ${words.join(', ')}`;
}

/** The columns for those who run the installation, or for a tenant: to a tenant racks and sources do not exist. */
export function hostColumns({ clusters, classes, waiting = [] }: Names, isStaff: boolean): readonly ObjectColumn<Host>[] {
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
    titleOf: (host) => (claimRefusal(host) === undefined ? wantedWords(host, waiting) : ''),
    show: (host) => {
      const wanted = claimRefusal(host) === undefined ? waiting.find((set) => isWantedBy(host, set)) : undefined;
      if (wanted === undefined) {
        return <NamedObject id={host.status?.cluster} names={clusters} hrefOf={(id) => objectHref(clusterKind, id)} />;
      }
      return (
        <span className="dim">
          wanted by{' '}
          <Link href={objectHref(clusterKind, wanted.cluster.id)} tabIndex={-1}>
            {nameOf(wanted.cluster)}
          </Link>
        </span>
      );
    },
  };
  return isStaff ? [hostClass, rack, state, power, cluster, source, seen] : [title, hostClass, state, power, cluster];
}
