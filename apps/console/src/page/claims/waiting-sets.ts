import { useMemo } from 'react';
import { clusterKind, may } from '../api/object-kind.ts';
import { useObjects } from '../api/use-object.ts';
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
export function useWaitingSets(): readonly WaitingSet[] {
  const session = useSession();
  const isWanted = session.isStaff && may(session, 'List', clusterKind);
  const { data } = useObjects<OrderedCluster>(clusterKind, {}, { isWanted });
  return useMemo(() => waitingSets(data?.items ?? []), [data]);
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
