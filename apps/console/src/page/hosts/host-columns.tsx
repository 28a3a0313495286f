import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { objectHref } from '../model/addresses.ts';
import { shortId } from '../model/short-id.ts';
import type { ObjectColumn } from '../objects/object-table.tsx';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { celText, type Host, hostHref, hostsHref, rackHref } from './host.ts';
import { hostState, powerShort, powerWords } from './host-state.ts';

const none = <span className="dim">–</span>;

/** What a table of hosts calls the objects that hosts name: id -> name. */
interface Names {
  readonly clusters: ReadonlyMap<string, string>;
  readonly classes: ReadonlyMap<string, string>;
}

/** The columns for those who run the installation, or for a tenant: to a tenant racks and sources do not exist. */
export const hostColumns = (names: Names, isStaff: boolean): readonly ObjectColumn<Host>[] => {
  const shared: Readonly<Record<'name' | 'class' | 'state' | 'power' | 'cluster', ObjectColumn<Host>>> = {
    name: {
      name: 'name',
      heading: 'Name',
      orderBy: 'metadata.name',
      titleOf: ({ id, metadata }) => `${metadata.name} ${id}`.trim(),
      show: (host) => (
        <Link href={hostHref(host.id)} tabIndex={-1}>
          {host.metadata.name === '' ? shortId(host.id) : nameOf(host)}
        </Link>
      ),
    },
    class: {
      name: 'class',
      heading: 'Class',
      orderBy: 'spec.class',
      show: ({ spec }) => named(spec?.class, names.classes, (id) => hostsHref(`this.spec.class == ${celText(id)}`)),
    },
    state: {
      name: 'state',
      heading: 'State',
      orderBy: 'status.state',
      show: (host) => {
        const { word, tone } = hostState(host);
        return (
          <Changing value={word}>
            <StateWord tone={tone} word={word} />
          </Changing>
        );
      },
    },
    power: {
      name: 'power',
      heading: 'Power',
      titleOf: powerWords,
      show: (host) => <Changing value={powerShort(host)}>{powerShort(host)}</Changing>,
    },
    cluster: {
      name: 'cluster',
      heading: 'Cluster',
      orderBy: 'status.cluster',
      show: ({ status }) => named(status?.cluster, names.clusters, (id) => objectHref('clusters', id)),
    },
  };
  if (!isStaff) {
    const title: ObjectColumn<Host> = { name: 'title', heading: 'Title', orderBy: 'spec.title', show: ({ spec }) => spec?.title || none };
    return [shared.name, title, shared.class, shared.state, shared.power, shared.cluster];
  }
  return [
    shared.name,
    shared.class,
    {
      name: 'rack',
      heading: 'Rack',
      orderBy: 'spec.rack',
      show: ({ spec }) =>
        (spec?.rack ?? '') === '' ? (
          none
        ) : (
          <Link href={rackHref(spec?.rack ?? '')} tabIndex={-1}>
            {spec?.rack}
            {(spec?.rack_unit ?? 0) > 0 && ` · ${spec?.rack_unit}`}
          </Link>
        ),
    },
    shared.state,
    shared.power,
    shared.cluster,
    {
      name: 'source',
      heading: 'Source',
      orderBy: 'status.source.name',
      show: ({ status }) => status?.source?.name || <span className="dim">by hand</span>,
    },
    {
      name: 'seen',
      heading: 'Last seen',
      isNumber: true,
      show: ({ status }) => {
        const at = momentOf(status?.source?.last_seen);
        return at === undefined ? none : <TimeAgo at={at} />;
      },
    },
  ];
};

function named(id: string | undefined, names: ReadonlyMap<string, string>, hrefOf: (id: string) => string) {
  if (id === undefined || id === '') return none;
  return (
    <Link href={hrefOf(id)} tabIndex={-1} title={id}>
      {names.get(id) ?? shortId(id)}
    </Link>
  );
}
