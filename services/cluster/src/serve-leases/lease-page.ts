import { LeaseRunState, type ListLeasesRequest } from '@quartermaster/api/cluster';
import { invalidFields } from '@quartermaster/kernel';
import type { LeaseState } from '../known-leases/lease-record.ts';
import type { LeaseSight } from '../known-leases/lease-sight.ts';
import { byOrder, type PageRequest, pageOf } from '../serve/page-of.ts';
import { ownerOf } from '../serve/request-message.ts';

export interface LeasePage {
  readonly leases: readonly LeaseSight[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  /** So many match in all. */
  readonly total: number;
}

type Asked = Pick<ListLeasesRequest, 'owner' | 'state' | 'node' | 'namespace'> & PageRequest;

export function pageOfLeases(request: Asked, all: readonly LeaseSight[]): LeasePage {
  const matching = all.filter(filterOf(request));
  const { items, nextPageToken } = pageOf(
    request,
    matching,
    byOrder<LeaseSight>(({ lease }) => lease),
  );
  return { leases: items, nextPageToken, total: matching.length };
}

function filterOf({ owner: asked, state, node, namespace }: Asked): (sight: LeaseSight) => boolean {
  const [owner, wanted] = [ownerOf(asked), stateOf(state)];
  return (sight) =>
    (owner === undefined || sight.lease.owner === owner) &&
    (wanted === undefined || sight.record.state === wanted) &&
    (node === '' || sight.pods.some((pod) => pod.node === node)) &&
    (namespace === '' || sight.record.namespace === namespace);
}

function stateOf(state: LeaseRunState): LeaseState | undefined {
  switch (state) {
    case LeaseRunState.UNSPECIFIED:
      return undefined;
    case LeaseRunState.PENDING:
      return 'Pending';
    case LeaseRunState.ACTIVE:
      return 'Active';
    case LeaseRunState.ERROR:
      return 'Error';
    case LeaseRunState.COMPLETE:
      return 'Complete';
    default:
      throw invalidFields([
        { field: 'state', description: `is ${String(state)}; it must be PENDING, ACTIVE, ERROR, COMPLETE or left out` },
      ]);
  }
}
