import type { ClaimHostsRequest } from '@quartermaster/api/fulfillment-extras';
import type { Cluster, ClusterNodeSet, Host } from '@quartermaster/api/private';
import { isVisible } from '@quartermaster/auth';
import { invalidFields, StatusError } from '@quartermaster/kernel';
import type { Call } from '@quartermaster/objects';
import { checkId, notFound, recordWrite } from '@quartermaster/objects';
import { lockOf, type Queryable, type Transaction, WriteBatch } from '@quartermaster/store';
import { readAssertionsOn } from '../identity/assertion-rows.ts';
import { disputeOf, isDisputed } from '../identity/dispute.ts';
import { MachineCensus } from '../identity/machine-census.ts';
import { readNeighbourhood, soughtOf } from '../identity/read-neighbours.ts';
import { judgeStoredHosts } from '../objects/judge-stored-hosts.ts';
import { type AssignOptions, maxHostsAtOnce } from './assign-options.ts';
import { assignedTo, hostsOf, withNodeSetHosts } from './assigned-cluster.ts';
import { freeHosts, freestHub, heldHub, type Refusal, racksOf, refusalsOf } from './free-hosts.ts';
import { type HostNeed, refusalOf } from './host-eligibility.ts';
import { selectHosts } from './select-hosts.ts';

export interface Claimed {
  /** All hosts of the node set, sorted. */
  readonly hosts: readonly string[];
  /** Those that this call added. */
  readonly claimed: readonly string[];
  readonly missing: number;
  readonly refusals: readonly Refusal[];
  readonly cluster: Cluster;
}

/** What the node set has and needs, read from the cluster. */
interface Need extends HostNeed {
  readonly held: readonly string[];
  readonly missing: number;
}

/** Hosts to be taken, all of the hub or of none. */
interface Choice {
  readonly hub: string;
  readonly hosts: readonly string[];
}

type Assigned = Omit<Claimed, 'refusals'>;

/** Choices that come to nothing before giving up. Each one means that somebody else was served, or that hosts were judged. */
const attempts = 40;

/**
 * Brings a node set up to a number of hosts in all: what it has counts, so that a repeated call claims nothing more. Hosts are looked for without locks; then the
 * cluster and the chosen ones are locked and looked at again, and either all of what is to be written is, in one transaction, or others are chosen. Those that turn out to be
 * disputed are judged, so that everybody is told of it and none is chosen again.
 */
export async function claimHosts(options: AssignOptions, call: Call, request: ClaimHostsRequest): Promise<Claimed> {
  checkRequest(request);
  const { database, kinds } = options;
  const disputed = new Set<string>(); // though their columns do not say so
  for (let attempt = 0, lost = 0; attempt < attempts; attempt += 1) {
    const known = new Set(disputed);
    const need = await needOf(database, await readCluster(options, database, call, request.cluster), request);
    const choice = await choose(options, request, need, [...disputed], lost);
    const locks = [lockOf('clusters', request.cluster), ...choice.hosts.map((id) => lockOf('hosts', id))];
    const done = await database.transaction(locks, async (tx) => await assign(options, call, request, tx, choice, disputed));
    if (done === undefined) {
      if (disputed.size === known.size) lost += 1;
      else await lookFurther(options, call, request, need, disputed, known);
      continue;
    }
    if (done.claimed.length > 0 && !call.isDryRun) options.onWritten();
    return done.missing === 0 ? { ...done, refusals: [] } : { ...done, refusals: await reasons(options, need, choice, done, disputed) };
  }
  const { singular } = kinds.clusters;
  throw new StatusError(
    'aborted',
    `${singular} "${request.cluster}": too many of the chosen hosts were claimed by others meanwhile, or are disputed; nothing was claimed, try again`,
  );
}

function checkRequest({ cluster, nodeSet, count }: ClaimHostsRequest): void {
  checkId(cluster, 'cluster');
  checkId(nodeSet, 'node_set');
  if (count < 0) throw invalidFields([{ field: 'count', description: 'must not be negative; 0 stands for the size in the spec' }]);
}

async function readCluster({ kinds }: AssignOptions, db: Queryable, call: Call, id: string): Promise<Cluster> {
  const cluster = await kinds.clusters.store.get(db, id);
  if (cluster === undefined || !isVisible(call.principal, cluster.metadata?.tenants ?? [])) throw notFound(kinds.clusters, id);
  return cluster;
}

async function needOf(db: Queryable, cluster: Cluster, { nodeSet, count }: ClaimHostsRequest): Promise<Need> {
  if (cluster.metadata?.deletionTimestamp !== undefined) {
    throw new StatusError('failed_precondition', `cluster "${cluster.id}" is being deleted and cannot get more hosts`);
  }
  const set = nodeSetOf(cluster, nodeSet);
  const held = hostsOf(cluster, nodeSet);
  const wanted = count === 0 ? set.size : count;
  const hub = cluster.status?.hub || (await heldHub(db, cluster.id));
  return { hostClass: set.hostClass, hub, held, missing: Math.max(0, wanted - held.length) };
}

function nodeSetOf(cluster: Cluster, name: string): ClusterNodeSet {
  const set = cluster.spec?.nodeSets[name];
  if (set !== undefined) return set;
  const names = Object.keys(cluster.spec?.nodeSets ?? {}).toSorted();
  throw invalidFields([{ field: 'node_set', description: `must be a node set of cluster "${cluster.id}": ${names.join(', ')}` }]);
}

async function choose(
  { database }: AssignOptions,
  request: ClaimHostsRequest,
  need: Need,
  excluded: readonly string[],
  attempt: number,
): Promise<Choice> {
  const wanted = Math.min(need.missing, maxHostsAtOnce);
  if (wanted === 0) return { hub: need.hub, hosts: [] };
  const hub = need.hub || (await freestHub(database, need.hostClass, excluded));
  const free = await freeHosts(database, { ...need, hub }, wanted, excluded);
  const held = await racksOf(database, need.held);
  const salt = attempt === 0 ? undefined : `${request.cluster}/${attempt}`;
  return { hub, hosts: selectHosts(free, { wanted, held, salt }) };
}

/** Undefined: some of the chosen hosts are gone, and others must be chosen. Those that turn out to be disputed are added to the set. */
async function assign(
  { kinds, newId }: AssignOptions,
  call: Call,
  request: ClaimHostsRequest,
  tx: Transaction,
  { hub, hosts: chosen }: Choice,
  disputed: Set<string>,
): Promise<Assigned | undefined> {
  const before = await kinds.clusters.store.get(tx, request.cluster);
  if (before === undefined) throw notFound(kinds.clusters, request.cluster);
  const need = await needOf(tx, before, request);
  const found = await kinds.hosts.store.getMany(tx, chosen);
  for (const id of await disputedOf(kinds, tx, [...found.values()])) disputed.add(id);
  const isLost = chosen.some((id) => {
    const host = found.get(id);
    return host === undefined || disputed.has(id) || refusalOf(host, { ...need, hub: need.hub || hub }) !== undefined;
  });
  if (isLost || (chosen.length < need.missing && chosen.length === maxHostsAtOnce && request.allOrNothing)) {
    if (isLost) return undefined;
    throw invalidFields([
      {
        field: 'all_or_nothing',
        description: `must be left out to claim more than ${maxHostsAtOnce} hosts: call again until none is missing`,
      },
    ]);
  }
  const claimed = chosen.slice(0, need.missing);
  const missing = need.missing - claimed.length;
  if (claimed.length === 0 || (missing > 0 && request.allOrNothing)) {
    return { hosts: need.held, claimed: [], missing: need.missing, cluster: before };
  }
  const batch = new WriteBatch();
  const hosts = [...need.held, ...claimed].toSorted();
  const after = withNodeSetHosts(before, request.nodeSet, hosts);
  const cluster = kinds.clusters.store.update(batch, before, after);
  recordWrite(batch, call, kinds.clusters, newId, before, after);
  const views = { before: [], after: before.metadata?.tenants ?? [] };
  for (const host of claimed.map((id) => found.get(id)).filter((each): each is Host => each !== undefined)) {
    const assigned = assignedTo(host, before.id);
    kinds.hosts.store.update(batch, host, assigned, views);
    recordWrite(batch, call, kinds.hosts, newId, host, assigned);
  }
  if (!call.isDryRun) await batch.flush(tx);
  return { hosts, claimed: claimed.toSorted(), missing, cluster };
}

/**
 * Looks at many more hosts than were chosen, and judges those that are disputed and not known yet: where nobody has judged one there may be very many, which would be met one
 * after the other.
 */
async function lookFurther(
  options: AssignOptions,
  call: Call,
  request: ClaimHostsRequest,
  need: Need,
  disputed: Set<string>,
  known: ReadonlySet<string>,
): Promise<void> {
  const { database, kinds } = options;
  const { hosts } = await choose(options, request, { ...need, missing: maxHostsAtOnce }, [...disputed], 0);
  const found = await kinds.hosts.store.getMany(database, hosts);
  for (const id of await disputedOf(kinds, database, [...found.values()])) disputed.add(id);
  const unknown = [...disputed].filter((id) => !known.has(id));
  if (!call.isDryRun) await judgeStoredHosts(options, call, unknown);
}

/**
 * Of these hosts, and of those that are the same machines or in the same places, the ids of the disputed ones: by what the hosts say, by what others assert of them, or by what they
 * have in common, since a host that was written by an earlier release may never have been judged.
 */
async function disputedOf({ hosts }: AssignOptions['kinds'], db: Queryable, found: readonly Host[]): Promise<readonly string[]> {
  const ids = found.map(({ id }) => id);
  const sought = found.map(soughtOf);
  const [assertions, { near, beyond }] = await Promise.all([readAssertionsOn(db, ids), readNeighbourhood(hosts, db, sought)]);
  const census = new MachineCensus([...found, ...near, ...beyond], assertions);
  return found.flatMap((host) => {
    const alike = census.alikeTo(host).map((each) => each.host.id);
    return alike.length > 0 || isDisputed(host) || disputeOf(host, assertions) !== undefined ? [host.id, ...alike] : [];
  });
}

async function reasons(
  { database }: AssignOptions,
  need: Need,
  { hub }: Choice,
  { cluster, missing, claimed }: Assigned,
  disputed: ReadonlySet<string>,
): Promise<readonly Refusal[]> {
  const refusals = await refusalsOf(database, { ...need, hub }, cluster.id, [...disputed]);
  if (claimed.length < maxHostsAtOnce) return refusals;
  const message = `${missing} more hosts are wanted than one call claims; call again`;
  return [...refusals, { reason: 'CALL_AGAIN', message, hosts: missing }];
}
