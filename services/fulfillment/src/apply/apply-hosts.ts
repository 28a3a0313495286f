import { type ApplyHostsRequest, ApplyOutcome, type HostFacts } from '@quartermaster/api/fulfillment-extras';
import type { Principal } from '@quartermaster/auth';
import { isSourceName, sourceNameRule } from '@quartermaster/auth';
import { type FieldViolation, invalidFields, StatusError } from '@quartermaster/kernel';
import type { Call } from '@quartermaster/objects';
import { noteSeen } from '../identity/source-rows.ts';
import { type Applied, conflict, refused } from './applied.ts';
import { applyClasses } from './apply-classes.ts';
import { type ApplyOptions, maxBatchSize } from './apply-options.ts';
import { readKnown } from './known-hosts.ts';
import { planBatch } from './plan-batch.ts';
import type { HostPlan, PlanOptions } from './plan-host.ts';
import { inParts, marksOfPlan, type PlannedWrite } from './planned-write.ts';
import { withdrawAssertions } from './withdraw-assertions.ts';
import { answerWithoutWrite, writeHosts, written } from './write-hosts.ts';

export interface AppliedBatch {
  /** In the order of the request. */
  readonly hosts: readonly Applied[];
  readonly classes: readonly Applied[];
}

/** How often a host is looked at again that somebody else changed between the look and the lock. */
const rounds = 4;

/**
 * Brings hosts and classes into line with what a source says of them. Everything is compared here, secrets too, so that what is equal is no write; what is refused or in
 * conflict does not keep the others out. Only what the source names is touched.
 */
export async function applyHosts(options: ApplyOptions, call: Call, request: ApplyHostsRequest): Promise<AppliedBatch> {
  const { source } = request;
  checkRequest(call.principal, request);
  // A dry run must not tell whether a guess is right. A write that guesses wrong takes the secret away, so there is no second guess.
  const comparesSecrets = !call.isDryRun || call.principal.mayReadSecrets;
  const newIds = new Map(request.hosts.map((facts) => [facts, facts.id || options.newId()]));
  const idOf = (facts: HostFacts): string => newIds.get(facts) ?? facts.id;
  const match: PlanOptions = { source, mayAdopt: options.mayAdopt ?? false, comparesSecrets, idOf };
  const classes = await applyClasses(options, call, match, request.classes);
  const newClasses = call.isDryRun ? classes.written : [];
  const answers = new Map<HostFacts, Applied>();
  let open = withoutFaults(request.hosts, answers);
  for (let round = 0; round < rounds && open.length > 0; round += 1) {
    const known = await readKnown(options, options.database, match, open, newClasses);
    const plan = await planBatch(options, open, known, match);
    const writes: PlannedWrite[] = [];
    for (const [facts, { plan: host, touches }] of plan.hosts) {
      const answer =
        answerWithoutWrite(host) ??
        (call.isDryRun && isWrite(host) ? written(options, host, host.kind === 'create' ? facts.id : targetOf(host)) : undefined);
      if (answer !== undefined && (touches.size === 0 || call.isDryRun)) answers.set(facts, answer);
      else if (isWrite(host)) {
        const hostClass = host.after.spec?.class ?? '';
        writes.push({ facts, id: targetOf(host), hostClass, touches, marks: marksOfPlan(host) });
      } else writes.push({ facts, id: '', hostClass: '', touches, marks: [] });
    }
    for (const some of inParts(source, writes)) {
      const done = await writeHosts(options, call, match, some);
      for (const [facts, answer] of done) answers.set(facts, answer);
      options.onWritten();
    }
    open = open.filter((facts) => !answers.has(facts));
  }
  for (const facts of open)
    answers.set(facts, conflict('', 'the host kept changing during the write; nothing was written, apply it again'));
  await see(options, call, source, answers);
  await withdrawAssertions(options, call, source, request.withdrawn);
  return {
    hosts: request.hosts.map((facts) => answers.get(facts) ?? conflict('', 'was not processed; apply it again')),
    classes: classes.answers,
  };
}

function checkRequest({ role, source: own }: Principal, { source, hosts, classes, withdrawn }: ApplyHostsRequest): void {
  const violations: FieldViolation[] = [];
  if (!isSourceName(source)) violations.push({ field: 'source', description: sourceNameRule });
  for (const [field, list] of [
    ['hosts', hosts],
    ['classes', classes],
    ['withdrawn', withdrawn],
  ] as const) {
    if (list.length > maxBatchSize)
      violations.push({
        field,
        description: `must not have more than ${maxBatchSize} entries, and has ${list.length}; send several batches`,
      });
  }
  const named = new Set(hosts.map(({ sourceId }) => sourceId));
  const both = withdrawn.find((id) => named.has(id));
  if (both !== undefined) {
    violations.push({
      field: 'withdrawn',
      description: `must not name "${both}", which the batch has among its hosts; leave it out of one of the two`,
    });
  }
  if (violations.length > 0) throw invalidFields(violations);
  if (role === 'sync' && own !== source) {
    throw new StatusError('permission_denied', `field "source": this caller may write source "${own ?? ''}", not "${source}"`);
  }
}

/** The hosts that can be looked at; answers the others. */
function withoutFaults(hosts: readonly HostFacts[], answers: Map<HostFacts, Applied>): HostFacts[] {
  const seen = new Set<string>();
  const ids = new Set<string>();
  return hosts.filter((facts) => {
    const { sourceId, id } = facts;
    const fault = faultOf(sourceId, seen, 'source_id') ?? (id === '' ? undefined : faultOf(id, ids, 'id'));
    seen.add(sourceId);
    ids.add(id);
    if (fault === undefined) return true;
    answers.set(facts, refused('', [fault]));
    return false;
  });
}

function faultOf(text: string, seen: ReadonlySet<string>, field: string): FieldViolation | undefined {
  if (seen.has(text)) return { field, description: 'must not be repeated: name each host once in a batch' };
  if (/^[^\p{C}]{1,253}$/u.test(text)) return undefined;
  return { field, description: 'must have 1 to 253 characters, none of them control characters: it identifies the host' };
}

type Write = HostPlan & { readonly kind: 'create' | 'update' };

const isWrite = (plan: HostPlan): plan is Write => plan.kind === 'create' || plan.kind === 'update';

const targetOf = (plan: Write): string => (plan.kind === 'update' ? plan.before.id : plan.after.id);

/** Notes when the source had the hosts that needed no write. */
async function see({ database, clock }: ApplyOptions, call: Call, source: string, answers: ReadonlyMap<HostFacts, Applied>): Promise<void> {
  const seen = [...answers]
    .filter(([, { outcome }]) => outcome === ApplyOutcome.UNCHANGED)
    .map(([{ sourceId }, { id }]) => [sourceId, id] as const);
  if (seen.length === 0 || call.isDryRun) return;
  await database.transaction([`host_sources/${source}`], async (tx) => await noteSeen(tx, source, new Map(seen), clock.now()));
}
