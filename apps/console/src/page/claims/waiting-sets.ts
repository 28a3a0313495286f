import { useMemo } from 'react';
import { problemText } from '../api/api-error.ts';
import { clusterKind, may } from '../api/object-kind.ts';
import { type Answered, type ObjectPage, useObjects } from '../api/use-object.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { useSession } from '../session/session.ts';
import { type NodeSetLine, nodeSetLines, type OrderedCluster } from '../states/node-sets.ts';

/** A node set that has fewer hosts than were ordered. */
export interface WaitingSet {
  readonly cluster: OrderedCluster;
  readonly line: NodeSetLine;
}

/** What of a host decides who could claim it. */
export interface ClaimableHost {
  readonly spec?: { readonly class?: string | undefined } | undefined;
  readonly status?: { readonly hub?: string | undefined } | undefined;
}

/** The node sets that wait for hosts, of the first thousand clusters, for those who run the installation. */
export function useWaitingSets(): WaitingSets {
  const session = useSession();
  const isWanted = session.isStaff && may(session, 'List', clusterKind);
  const { data, error } = useObjects<OrderedCluster>(clusterKind, {}, { isWanted });
  return useMemo(() => (isWanted ? readSets({ data, error }) : nobodys), [isWanted, data, error]);
}

/** The node sets that wait, as far as they are known. */
export interface WaitingSets {
  /** Undefined until they were read. */
  readonly sets: readonly WaitingSet[] | undefined;
  /** What has to be said of them: that they are being read, why they cannot be, or that there are more clusters. */
  readonly note: string | undefined;
}

const nobodys: WaitingSets = { sets: [], note: undefined };

export function readSets({ data, error }: Answered<ObjectPage<OrderedCluster>>): WaitingSets {
  if (data === undefined) {
    const note = error === null ? 'Loading the clusters …' : `Which clusters wait for hosts is not known. ${problemText(error)}`;
    return { sets: undefined, note };
  }
  const [read, all] = [data.items.length, data.total];
  const note = read >= all ? undefined : `Only ${formatInteger(read)} of ${countOf(all, 'cluster')} were looked at: others may wait, too.`;
  return { sets: waitingSets(data.items), note };
}

export const waitingSets = (clusters: readonly OrderedCluster[]): readonly WaitingSet[] =>
  clusters
    .filter(({ metadata }) => metadata.deletion_timestamp === undefined)
    .flatMap((cluster) =>
      nodeSetLines(cluster)
        .filter(({ wanted, hosts }) => hosts.length < wanted)
        .map((line) => ({ cluster, line })),
    );

/** Whether a free host is what the node set waits for. */
export function isWantedBy({ spec, status }: ClaimableHost, { cluster, line }: WaitingSet): boolean {
  const [hub, wanted] = [status?.hub ?? '', cluster.status?.hub ?? ''];
  return spec?.class === line.hostClass && (hub === '' || wanted === '' || hub === wanted);
}
