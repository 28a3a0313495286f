import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ApplyOutcome, type HostFacts } from '@quartermaster/api/fulfillment-extras';
import { type Host, MetadataSchema } from '@quartermaster/api/private';
import { holdReferenced, lockOf, type Transaction, type Views, WriteBatch } from '@quartermaster/store';
import { recordWrite } from '../assign/record-write.ts';
import { diffMessages } from '../audit/message-diff.ts';
import { tenantsForCreate } from '../auth/tenancy.ts';
import type { Call } from '../objects/call.ts';
import { type Applied, applied, conflict, refused } from './applied.ts';
import type { ApplyOptions } from './apply-options.ts';
import { readKnown } from './known-hosts.ts';
import type { MatchOptions } from './match-host.ts';
import { type HostPlan, planHost } from './plan-host.ts';
import { forgetSources, sourcePart, sourceRow } from './source-rows.ts';

/** A host that was found to need a write, before anything was locked. */
export interface PlannedWrite {
  readonly facts: HostFacts;
  /** Id of the host, of a new one the one that it will have. */
  readonly id: string;
  readonly hostClass: string;
}

/** The answer for a plan that needs no write; undefined for one that does. */
export function settled(plan: HostPlan): Applied | undefined {
  switch (plan.kind) {
    case 'none':
      return applied(ApplyOutcome.UNCHANGED, plan.host.id);
    case 'conflict':
      return conflict(plan.id, plan.message);
    case 'refused':
      return refused(plan.id, plan.violations);
    case 'create':
    case 'update':
      return undefined;
  }
}

/** The answer for a plan that was carried out. */
export function written(
  options: Pick<ApplyOptions, 'kinds'>,
  plan: HostPlan & { readonly kind: 'create' | 'update' },
  id: string,
): Applied {
  if (plan.kind === 'create') return applied(ApplyOutcome.CREATED, id);
  const { schema, secretPaths } = options.kinds.hosts.store.type;
  const changes = diffMessages(schema, plan.before, plan.after, { secretPaths });
  return applied(
    ApplyOutcome.UPDATED,
    id,
    changes.map(({ path }) => path),
  );
}

/**
 * Locks the hosts, compares once more and writes what differs, in one transaction. What turned out to be another host than was locked is left out of
 * the answer, to be looked at again.
 */
export async function writeHosts(
  options: ApplyOptions,
  call: Call,
  match: MatchOptions,
  writes: readonly PlannedWrite[],
): Promise<ReadonlyMap<HostFacts, Applied>> {
  const { source } = match;
  const locks = writes.flatMap(({ id, facts }) => [lockOf('hosts', id), `host_sources/${source}/${facts.sourceId}`]);
  return await options.database.transaction(locks, async (tx) => {
    const classes = new Set(writes.map(({ hostClass }) => hostClass).filter((id) => id !== ''));
    await holdReferenced(
      tx,
      [...classes].map((id) => lockOf('host_classes', id)),
    );
    const known = await readKnown(
      options,
      tx,
      source,
      writes.map(({ facts }) => facts),
    );
    const results = new Map<HostFacts, Applied>();
    const due: DueWrite[] = [];
    for (const { facts, id, hostClass } of writes) {
      const plan = await planHost(options, facts, known, match);
      const answer = settled(plan);
      if (answer !== undefined) results.set(facts, answer);
      else if ((plan.kind === 'create' || plan.kind === 'update') && isLocked(plan, id, hostClass)) {
        results.set(facts, written(options, plan, id));
        due.push({ facts, plan, id });
      }
    }
    await flush(options, call, source, tx, due);
    return results;
  });
}

interface DueWrite {
  readonly facts: HostFacts;
  readonly plan: HostPlan & { readonly kind: 'create' | 'update' };
  readonly id: string;
}

function isLocked(plan: DueWrite['plan'], id: string, hostClass: string): boolean {
  const target = plan.kind === 'update' ? plan.before.id : plan.after.id;
  return (target === id || target === '') && plan.after.spec?.class === hostClass;
}

async function flush(options: ApplyOptions, call: Call, source: string, tx: Transaction, due: readonly DueWrite[]): Promise<void> {
  const { kinds, clock, newId } = options;
  const viewsOf = await readViews(options, tx, due);
  const batch = new WriteBatch();
  for (const { facts, plan, id } of due) {
    if (plan.kind === 'create') {
      const host = completed(options, call, plan.after, id);
      kinds.hosts.store.create(batch, host, { after: [] });
      recordWrite(batch, call, kinds.hosts, newId, undefined, host);
    } else {
      kinds.hosts.store.update(batch, plan.before, plan.after, viewsOf(plan.before));
      recordWrite(batch, call, kinds.hosts, newId, plan.before, plan.after);
    }
    batch.add(sourcePart, sourceRow(source, facts.sourceId, id, clock.now()));
  }
  await forgetSources(
    tx,
    due.map(({ id }) => id),
  );
  await batch.flush(tx);
}

function completed({ clock }: ApplyOptions, call: Call, host: Host, id: string): Host {
  host.id = id;
  host.metadata ??= create(MetadataSchema);
  host.metadata.creationTimestamp = timestampFromMs(clock.now());
  host.metadata.creators = [call.principal.name];
  host.metadata.tenants = tenantsForCreate(call.principal, host.metadata.tenants);
  return host;
}

/** Those who see a host are the tenants of its cluster, which a source does not change. */
async function readViews({ kinds }: ApplyOptions, tx: Transaction, due: readonly DueWrite[]): Promise<(host: Host) => Views> {
  const clusterOf = (host: Host): string => host.status?.cluster ?? '';
  const ids = due.map(({ plan }) => (plan.kind === 'update' ? clusterOf(plan.before) : '')).filter((id) => id !== '');
  const clusters = await kinds.clusters.store.getMany(tx, [...new Set(ids)]);
  return (host) => {
    const tenants = clusters.get(clusterOf(host))?.metadata?.tenants ?? [];
    return { before: tenants, after: tenants };
  };
}
