import { Link } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { objectHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { shortId } from '../model/short-id.ts';
import type { ObjectColumn } from '../objects/object-table.tsx';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { type ClusterObject, hostCounts } from './cluster-object.ts';
import { clusterPhases, clusterState } from './cluster-phases.ts';

export const clusterHref = ({ id }: Pick<ClusterObject, 'id'>): string => objectHref('clusters', id);

const name: ObjectColumn<ClusterObject> = {
  name: 'name',
  heading: 'Name',
  orderBy: 'metadata.name',
  titleOf: ({ id }) => id,
  show: (cluster) => (
    <Link href={clusterHref(cluster)} tabIndex={-1}>
      {nameOf(cluster)}
    </Link>
  ),
};

const state: ObjectColumn<ClusterObject> = {
  name: 'state',
  heading: 'State',
  orderBy: 'status.state',
  show: (cluster) => {
    const { tone, word } = clusterState(cluster);
    return (
      <Changing value={word}>
        <StateWord tone={tone} word={word} />
      </Changing>
    );
  },
};

const hosts: ObjectColumn<ClusterObject> = {
  name: 'hosts',
  heading: 'Hosts',
  isNumber: true,
  show: (cluster) => {
    const { wanted, assigned } = hostCounts(cluster);
    return <Changing value={`${assigned} ${wanted}`}>{`${formatInteger(assigned)} of ${formatInteger(wanted)}`}</Changing>;
  },
};

/** The reason of the phase that waits; nothing about a cluster that is done. */
function waitingFor(cluster: ClusterObject): string {
  const phase = clusterPhases(cluster).find(({ state: at }) => at === 'current' || at === 'failed');
  return phase?.note ?? '';
}

const waits: ObjectColumn<ClusterObject> = {
  name: 'waits',
  heading: 'Waits for',
  titleOf: waitingFor,
  show: (cluster) => <span className="dim">{waitingFor(cluster)}</span>,
};

const templateColumn = (names: ReadonlyMap<string, string>): ObjectColumn<ClusterObject> => ({
  name: 'template',
  heading: 'Template',
  orderBy: 'spec.template',
  titleOf: ({ spec }) => spec?.template ?? '',
  show: ({ spec }) => (
    <Link href={objectHref('cluster_templates', spec?.template ?? '')} tabIndex={-1}>
      {names.get(spec?.template ?? '') ?? shortId(spec?.template ?? '')}
    </Link>
  ),
});

const tenants: ObjectColumn<ClusterObject> = {
  name: 'tenants',
  heading: 'Belongs to',
  titleOf: ({ metadata }) => metadata.tenants.join(', '),
  show: ({ metadata }) => metadata.tenants.join(', '),
};

const hubColumn = (names: ReadonlyMap<string, string>): ObjectColumn<ClusterObject> => ({
  name: 'hub',
  heading: 'Hub',
  orderBy: 'status.hub',
  show: ({ status }) =>
    (status?.hub ?? '') === '' ? (
      <span className="dim">none yet</span>
    ) : (
      <Link href={objectHref('hubs', status?.hub ?? '')} tabIndex={-1}>
        {names.get(status?.hub ?? '') ?? shortId(status?.hub ?? '')}
      </Link>
    ),
});

const age: ObjectColumn<ClusterObject> = {
  name: 'ordered',
  heading: 'Ordered',
  isNumber: true,
  orderBy: 'metadata.creation_timestamp',
  show: ({ metadata }) => {
    const at = momentOf(metadata.creation_timestamp);
    return at === undefined ? '' : <TimeAgo at={at} />;
  },
};

/** What the table calls the objects that clusters name: id -> name. */
interface Names {
  readonly templates: ReadonlyMap<string, string>;
  readonly hubs: ReadonlyMap<string, string>;
}

/** A tenant has no hubs, and all that it sees is its own. */
export function clusterColumns({ templates, hubs }: Names, isStaff: boolean): readonly ObjectColumn<ClusterObject>[] {
  const template = templateColumn(templates);
  return isStaff ? [name, tenants, state, hosts, waits, template, hubColumn(hubs), age] : [name, state, hosts, waits, template, age];
}
