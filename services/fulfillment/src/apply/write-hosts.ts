import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ApplyOutcome, type HostFacts } from '@quartermaster/api/fulfillment-extras';
import { type Host, MetadataSchema } from '@quartermaster/api/private';
import { tenantsForCreate } from '@quartermaster/auth';
import type { Call } from '@quartermaster/objects';
import { diffMessages, recordWrite } from '@quartermaster/objects';
import { holdReferenced, lockOf, type Transaction, WriteBatch } from '@quartermaster/store';
import { disputeCondition } from '../identity/dispute.ts';
import { forgetSources, putSource } from '../identity/source-rows.ts';
import { writeJudged } from '../objects/write-judged.ts';
import { type Applied, applied, conflict, refused } from './applied.ts';
import type { ApplyOptions } from './apply-options.ts';
import { readKnown } from './known-hosts.ts';
import { type BatchPlan, type PlannedFacts, planBatch } from './plan-batch.ts';
import type { HostPlan, PlanOptions } from './plan-host.ts';
import { locksOf, marksOfPlan, type PlannedWrite } from './planned-write.ts';

/** The answer for a plan that needs no write; undefined for one that does. */
export function answerWithoutWrite(plan: HostPlan): Applied | undefined {
  switch (plan.kind) {
    case 'none':
      return { ...applied(ApplyOutcome.UNCHANGED, plan.host.id), message: disputeCondition(plan.host)?.message ?? '' };
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
  const message = disputeCondition(plan.after)?.message ?? '';
  if (plan.kind === 'create') return { ...applied(ApplyOutcome.CREATED, id), message };
  const { schema, secretPaths } = options.kinds.hosts;
  const changes = diffMessages(schema, plan.before, plan.after, { secretPaths });
  const paths = changes.map(({ path }) => path);
  return { ...applied(ApplyOutcome.UPDATED, id, paths), message };
}

/**
 * Locks the hosts, compares once more and writes what differs, in one transaction. What turned out to be about another host than was locked is left out of
 * the answer, to be looked at again.
 */
export async function writeHosts(
  options: ApplyOptions,
  call: Call,
  match: PlanOptions,
  writes: readonly PlannedWrite[],
): Promise<ReadonlyMap<HostFacts, Applied>> {
  const { source } = match;
  const locks = new Set(writes.flatMap((write) => locksOf(source, write)));
  return await options.database.transaction([...locks], async (tx) => {
    const classes = new Set(writes.map(({ hostClass }) => hostClass).filter((id) => id !== ''));
    await holdReferenced(
      tx,
      [...classes].map((id) => lockOf('host_classes', id)),
    );
    const byFacts = new Map(writes.map((write) => [write.facts, write]));
    const known = await readKnown(options, tx, match, [...byFacts.keys()]);
    const first = await planBatch(options, byFacts.keys(), known, match);
    const held = writes.filter((write) => isHeld(source, write, first.hosts.get(write.facts), locks));
    const plan =
      held.length === writes.length
        ? first
        : await planBatch(
            options,
            held.map(({ facts }) => facts),
            known,
            match,
          );
    const results = new Map<HostFacts, Applied>();
    const due: DueWrite[] = [];
    for (const { facts, id } of held) {
      const planned = plan.hosts.get(facts)?.plan;
      if (planned === undefined) continue;
      const answer = answerWithoutWrite(planned);
      if (answer !== undefined) results.set(facts, answer);
      else if (planned.kind === 'create' || planned.kind === 'update') {
        results.set(facts, written(options, planned, id));
        due.push({ facts, plan: planned, id });
      }
    }
    await flush(options, call, source, tx, due, plan);
    return results;
  });
}

interface DueWrite {
  readonly facts: HostFacts;
  readonly plan: HostPlan & { readonly kind: 'create' | 'update' };
  readonly id: string;
}

/** Whether all that the plan of now writes was locked when the plan of before was made. */
function isHeld(source: string, write: PlannedWrite, now: PlannedFacts | undefined, locks: ReadonlySet<string>): boolean {
  if (now === undefined) return false;
  const { plan, touches } = now;
  const isWrite = plan.kind === 'create' || plan.kind === 'update';
  if (isWrite && !isLocked(plan, write.id, write.hostClass)) return false;
  const needed = locksOf(source, { ...write, touches, marks: marksOfPlan(plan) });
  return needed.every((lock) => locks.has(lock));
}

function isLocked(plan: DueWrite['plan'], id: string, hostClass: string): boolean {
  const target = plan.kind === 'update' ? plan.before.id : plan.after.id;
  return id !== '' && target === id && plan.after.spec?.class === hostClass;
}

async function flush(
  options: ApplyOptions,
  call: Call,
  source: string,
  tx: Transaction,
  due: readonly DueWrite[],
  { others, assertions }: BatchPlan,
): Promise<void> {
  const { kinds, clock, newId } = options;
  const batch = new WriteBatch();
  for (const { facts, plan, id } of due) {
    if (plan.kind === 'create') {
      const host = completed(options, call, plan.after, id);
      kinds.hosts.store.create(batch, host, { after: [] });
      recordWrite(batch, call, kinds.hosts, newId, undefined, host);
    }
    putSource(batch, source, facts.sourceId, id, clock.now());
  }
  const updates = due.flatMap(({ plan }) => (plan.kind === 'update' ? [plan] : []));
  await writeJudged(options, call, tx, batch, [...updates, ...others], assertions);
  // Rows of hosts that are gone, of which new ones get the ids. No statement of the batch would see what another one removes.
  const former = new WriteBatch();
  forgetSources(
    former,
    due.map(({ id }) => id),
  );
  await former.flush(tx);
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
