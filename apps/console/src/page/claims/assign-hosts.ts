import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { ApiError } from '../api/api-error.ts';
import { callApi } from '../api/call-api.ts';
import { clusterKind, hostKind } from '../api/object-kind.ts';
import { listsKey, objectKey } from '../api/use-object.ts';
import type { Claim } from './claim-words.ts';

/** What a session must be allowed to. */
export const claimRight = '/quartermaster.fulfillment.v1.HostAssignments/ClaimHosts';
export const releaseRight = '/quartermaster.fulfillment.v1.HostAssignments/ReleaseHosts';

export interface ClaimWish {
  /** Id of the cluster. */
  readonly cluster: string;
  readonly nodeSet: string;
  /** How many hosts the node set shall have in all, as it was typed. Default: as many as were ordered. */
  readonly count?: number | string | undefined;
  readonly isAllOrNothing?: boolean | undefined;
}

const pathOf = (cluster: string, action: 'claim' | 'release'): string =>
  `/api/quartermaster/v1/clusters/${encodeURIComponent(cluster)}/hosts/${action}`;

export async function claimHosts({ cluster, nodeSet, count, isAllOrNothing }: ClaimWish, options: AssignOptions = {}): Promise<Claim> {
  const body = { node_set: nodeSet, count, all_or_nothing: isAllOrNothing, dry_run: options.isDryRun };
  return await callApi<Claim>(pathOf(cluster, 'claim'), { method: 'POST', body, signal: options.signal });
}

/** Resolves with the ids of those that were released. */
export async function releaseHosts(cluster: string, hosts: readonly string[]): Promise<readonly string[]> {
  return (await callApi<{ readonly hosts: readonly string[] }>(pathOf(cluster, 'release'), { method: 'POST', body: { hosts } })).hosts;
}

interface AssignOptions {
  readonly isDryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a claim would come to now: asked of the service by one that does nothing, and again when hosts change. */
export function useClaimPreview(
  wish: ClaimWish,
  options: { readonly isWanted: boolean; readonly held: number },
): { readonly claim: Claim | undefined; readonly problem: ApiError | null } {
  const { data, error } = useQuery<Claim, ApiError>({
    queryKey: [...listsKey(hostKind), 'claim', wish, options.held],
    queryFn: ({ signal }) => claimHosts(wish, { isDryRun: true, signal }),
    enabled: options.isWanted,
  });
  return { claim: data, problem: error };
}

/** After hosts came or went: what is shown of them is read again at once. */
export async function refreshAssigned(queries: QueryClient, cluster: string): Promise<void> {
  await Promise.all(
    [objectKey(clusterKind, cluster), listsKey(clusterKind), listsKey(hostKind), ['object', hostKind.name]].map((queryKey) =>
      queries.invalidateQueries({ queryKey }),
    ),
  );
}
