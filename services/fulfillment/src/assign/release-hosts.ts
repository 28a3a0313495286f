import type { ReleaseHostsRequest } from '@quartermaster/api/fulfillment-extras';
import type { Cluster } from '@quartermaster/api/private';
import { isVisible } from '@quartermaster/auth';
import type { Call } from '@quartermaster/objects';
import { checkId, notFound, recordWrite } from '@quartermaster/objects';
import { lockOf, type Queryable, type Transaction, WriteBatch } from '@quartermaster/store';
import { type AssignOptions, maxHostsAtOnce } from './assign-options.ts';
import { assignedTo, hostsOf, withNodeSetHosts } from './assigned-cluster.ts';

export interface Released {
  /** Sorted. */
  readonly hosts: readonly string[];
  readonly cluster: Cluster;
}

const assignedStatement = { name: 'assign-hosts-of', text: 'select id from hosts where cluster = $1 order by id' };

/**
 * Takes hosts from a cluster: from its list and from themselves, in one transaction (several, for more than 900). A host that the cluster does not have is passed
 * over, so that a repeated call does no harm.
 */
export async function releaseHosts(options: AssignOptions, call: Call, request: ReleaseHostsRequest): Promise<Released> {
  checkId(request.cluster, 'cluster');
  const { database, kinds } = options;
  const stored = await kinds.clusters.store.get(database, request.cluster);
  if (stored === undefined || !isVisible(call.principal, stored.metadata?.tenants ?? [])) throw notFound(kinds.clusters, request.cluster);
  const ids = await hostsToRelease(database, stored, request);
  let cluster = stored;
  const released: string[] = [];
  for (let from = 0; from < ids.length; from += maxHostsAtOnce) {
    const some = ids.slice(from, from + maxHostsAtOnce);
    const locks = [lockOf('clusters', request.cluster), ...some.map((id) => lockOf('hosts', id))];
    const done = await database.transaction(locks, async (tx) => await release(options, call, request, tx, some));
    if (done.hosts.length > 0 && !call.isDryRun) options.onWritten();
    released.push(...done.hosts);
    cluster = done.cluster;
  }
  return { hosts: released.toSorted(), cluster };
}

/** What the request names of what the cluster has, by its own list or by what its hosts say. */
async function hostsToRelease(db: Queryable, cluster: Cluster, request: ReleaseHostsRequest): Promise<readonly string[]> {
  const listed = nodeSetsOf(cluster, request).flatMap((name) => hostsOf(cluster, name));
  const rows = request.nodeSet === '' ? await db.query<{ readonly id: string }>(assignedStatement, [cluster.id]) : [];
  const named = new Set(request.hosts);
  return [...new Set([...listed, ...rows.map(({ id }) => id)])].filter((id) => named.size === 0 || named.has(id)).toSorted();
}

function nodeSetsOf(cluster: Cluster, { nodeSet }: ReleaseHostsRequest): string[] {
  return Object.keys(cluster.status?.nodeSets ?? {}).filter((name) => nodeSet === '' || name === nodeSet);
}

async function release(
  { kinds, newId }: AssignOptions,
  call: Call,
  request: ReleaseHostsRequest,
  tx: Transaction,
  ids: readonly string[],
): Promise<Released> {
  const before = await kinds.clusters.store.get(tx, request.cluster);
  if (before === undefined) throw notFound(kinds.clusters, request.cluster);
  const wanted = new Set(ids);
  const released = new Set<string>();
  let after = before;
  for (const name of nodeSetsOf(before, request)) {
    const hosts = hostsOf(before, name);
    const kept = hosts.filter((id) => !wanted.has(id));
    if (kept.length === hosts.length) continue;
    for (const id of hosts) if (wanted.has(id)) released.add(id);
    after = withNodeSetHosts(after, name, kept);
  }
  const batch = new WriteBatch();
  const views = { before: before.metadata?.tenants ?? [], after: [] };
  for (const [id, host] of await kinds.hosts.store.getMany(tx, ids)) {
    const isElsewhere = request.nodeSet !== '' && !released.has(id);
    if (host.status?.cluster !== before.id || isElsewhere) continue;
    const free = assignedTo(host, '');
    kinds.hosts.store.update(batch, host, free, views);
    recordWrite(batch, call, kinds.hosts, newId, host, free);
    released.add(id);
  }
  const cluster = after === before ? before : kinds.clusters.store.update(batch, before, after);
  if (after !== before) recordWrite(batch, call, kinds.clusters, newId, before, after);
  if (!call.isDryRun) await batch.flush(tx);
  return { hosts: [...released], cluster };
}
