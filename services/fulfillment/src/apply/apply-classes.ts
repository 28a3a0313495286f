import { clone, create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ApplyOutcome, type HostClassFacts } from '@quartermaster/api/fulfillment-extras';
import { type HostClass, HostClassSchema, MetadataSchema } from '@quartermaster/api/private';
import { tenantsForCreate } from '@quartermaster/auth';
import type { FieldViolation } from '@quartermaster/kernel';
import type { Call } from '@quartermaster/objects';
import { recordWrite } from '@quartermaster/objects';
import { lockOf, type Queryable, WriteBatch } from '@quartermaster/store';
import { hostClassRules } from '../rules/index.ts';
import { type Applied, applied, conflict, refused } from './applied.ts';
import type { ApplyOptions } from './apply-options.ts';
import type { MatchOptions } from './match-host.ts';

/** Annotation of a class: the source that brought it, and that alone may change it. */
const sourceAnnotation = 'quartermaster.dev/source';

type ClassPlan =
  | { readonly kind: 'answered'; readonly answer: Applied }
  | { readonly kind: 'write'; readonly before: HostClass | undefined; readonly after: HostClass };

export interface AppliedClasses {
  /** In the order of the facts. */
  readonly answers: readonly Applied[];
  /** Those that were made or changed, or would be. */
  readonly written: readonly HostClass[];
}

/** Brings the classes of a source into line with what it says. A class of somebody else is left alone. */
export async function applyClasses(
  options: ApplyOptions,
  call: Call,
  match: MatchOptions,
  facts: readonly HostClassFacts[],
): Promise<AppliedClasses> {
  const first = await planAll(options, options.database, match, facts);
  const due = first.filter(({ kind }) => kind === 'write').length;
  if (due === 0 || call.isDryRun) return finish(first);
  const locks = facts.map(({ id }) => lockOf('host_classes', id));
  const plans = await options.database.transaction(locks, async (tx) => {
    const again = await planAll(options, tx, match, facts);
    const batch = new WriteBatch();
    for (const plan of again) if (plan.kind === 'write') add(options, call, batch, plan.before, plan.after);
    await batch.flush(tx);
    return again;
  });
  options.onWritten();
  return finish(plans);
}

function finish(plans: readonly ClassPlan[]): AppliedClasses {
  return {
    answers: plans.map((plan) => {
      if (plan.kind === 'answered') return plan.answer;
      return applied(plan.before === undefined ? ApplyOutcome.CREATED : ApplyOutcome.UPDATED, plan.after.id);
    }),
    written: plans.flatMap((plan) => (plan.kind === 'write' ? [plan.after] : [])),
  };
}

async function planAll(
  { kinds }: ApplyOptions,
  db: Queryable,
  match: MatchOptions,
  facts: readonly HostClassFacts[],
): Promise<ClassPlan[]> {
  const known = await kinds.host_classes.store.getMany(
    db,
    facts.map(({ id }) => id),
  );
  const seen = new Set<string>();
  return facts.map((each): ClassPlan => {
    if (seen.has(each.id))
      return refusal(each.id, [{ field: 'id', description: `must not repeat "${each.id}": name each class once in a batch` }]);
    seen.add(each.id);
    return planClass(each, known.get(each.id), match);
  });
}

const refusal = (id: string, violations: readonly FieldViolation[]): ClassPlan => ({ kind: 'answered', answer: refused(id, violations) });

/** What is to be done about one class. Pure. */
function planClass(facts: HostClassFacts, before: HostClass | undefined, { source, mayAdopt }: MatchOptions): ClassPlan {
  if (facts.id === '') return refusal('', [{ field: 'id', description: 'must be set: it identifies the class' }]);
  const wished = before === undefined ? create(HostClassSchema, { id: facts.id }) : clone(HostClassSchema, before);
  wished.metadata ??= create(MetadataSchema);
  if (facts.name !== undefined) wished.metadata.name = facts.name;
  if (facts.title !== undefined) wished.title = facts.title;
  if (facts.description !== undefined) wished.description = facts.description;
  const owner = before?.metadata?.annotations[sourceAnnotation] ?? '';
  const isOwn = before === undefined || owner === source || (owner === '' && mayAdopt);
  if (isOwn) wished.metadata.annotations[sourceAnnotation] = source;
  const after = hostClassRules.normalise(wished);
  const violations = hostClassRules.validate(after);
  if (violations.length > 0) return refusal(before?.id ?? '', violations);
  if (before !== undefined && isSame(before, after)) return { kind: 'answered', answer: applied(ApplyOutcome.UNCHANGED, before.id) };
  if (before?.metadata?.deletionTimestamp !== undefined) {
    return { kind: 'answered', answer: conflict(before.id, `host class "${before.id}" is being deleted; apply again when it is gone`) };
  }
  if (isOwn) return { kind: 'write', before, after };
  const whose = owner === '' ? 'was created by hand' : `belongs to source "${owner}"`;
  return {
    kind: 'answered',
    answer: conflict(facts.id, `host class "${facts.id}" ${whose} and differs; use another id, or change the class by hand`),
  };
}

function isSame(before: HostClass, after: HostClass): boolean {
  return (
    before.title === after.title &&
    before.description === after.description &&
    before.metadata?.name === after.metadata?.name &&
    before.metadata?.annotations[sourceAnnotation] === after.metadata?.annotations[sourceAnnotation]
  );
}

function add({ kinds, clock, newId }: ApplyOptions, call: Call, batch: WriteBatch, before: HostClass | undefined, after: HostClass): void {
  const { store } = kinds.host_classes;
  if (before === undefined) {
    const metadata = (after.metadata ??= create(MetadataSchema));
    metadata.creationTimestamp = timestampFromMs(clock.now());
    metadata.creators = [call.principal.name];
    metadata.tenants = tenantsForCreate(call.principal, metadata.tenants);
    store.create(batch, after);
  } else store.update(batch, before, after);
  recordWrite(batch, call, kinds.host_classes, newId, before, after);
}
