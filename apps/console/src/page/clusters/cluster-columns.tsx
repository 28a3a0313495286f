import { clusterState } from '@quartermaster/api/states';
import { momentOf } from '../api/api-words.ts';
import { hubKind, objectHref, templateKind } from '../api/object-kind.ts';
import { formatInteger } from '../model/amounts.ts';
import type { Phase } from '../model/phase.ts';
import { NamedObject, type ObjectColumn, stateColumn, tenantsColumn } from '../objects/object-columns.tsx';
import { Changing } from '../parts/changing.tsx';
import { ForHowLong, TimeAgo } from '../parts/time-ago.tsx';
import { type ClusterObject, hostCounts } from './cluster-object.ts';
import { clusterPhases } from './cluster-phases.ts';

const hosts: ObjectColumn<ClusterObject> = {
  name: 'hosts',
  heading: 'Hosts',
  isNumber: true,
  show: (cluster) => {
    const { wanted, assigned } = hostCounts(cluster);
    return <Changing value={`${assigned} ${wanted}`}>{`${formatInteger(assigned)} of ${formatInteger(wanted)}`}</Changing>;
  },
};

/** The phase that waits; none of a cluster that is done. */
const standingAt = (cluster: ClusterObject): Phase | undefined =>
  clusterPhases(cluster).find(({ state: at }) => at === 'current' || at === 'waiting' || at === 'failed');

const waits: ObjectColumn<ClusterObject> = {
  name: 'waits',
  heading: 'Waits for',
  titleOf: (cluster) => standingAt(cluster)?.note ?? '',
  show: (cluster) => {
    const phase = standingAt(cluster);
    return (
      <span className="dim">
        {phase?.note}
        {phase?.state === 'waiting' && <ForHowLong since={phase.since} />}
      </span>
    );
  },
};

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
  const state = stateColumn(clusterState);
  const template: ObjectColumn<ClusterObject> = {
    name: 'template',
    heading: 'Template',
    orderBy: 'spec.template',
    show: ({ spec }) => <NamedObject id={spec?.template} names={templates} hrefOf={(id) => objectHref(templateKind, id)} />,
  };
  const hub: ObjectColumn<ClusterObject> = {
    name: 'hub',
    heading: 'Hub',
    orderBy: 'status.hub',
    show: ({ status }) => <NamedObject id={status?.hub} names={hubs} hrefOf={(id) => objectHref(hubKind, id)} none="none yet" />,
  };
  return isStaff ? [tenantsColumn, state, hosts, waits, template, hub, age] : [state, hosts, waits, template, age];
}
