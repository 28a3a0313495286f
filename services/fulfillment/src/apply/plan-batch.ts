import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import type { Host } from '@quartermaster/api/private';
import { type Asserter, type AssertionChanges, AssertionLedger, type Judged } from '../identity/assertion-ledger.ts';
import { listMarks, marksOf, marksOfHost } from '../identity/host-marks.ts';
import type { MachineCensus } from '../identity/machine-census.ts';
import type { ApplyOptions } from './apply-options.ts';
import { type Known, marksOfFacts } from './known-hosts.ts';
import { type HostPlan, type PlanOptions, planHost } from './plan-host.ts';

export interface PlannedFacts {
  readonly plan: HostPlan;
  /** Hosts of others that it also writes: what is said of them changes, or the condition that says so. */
  readonly touches: ReadonlySet<string>;
}

/** What is to be done about the hosts of a batch and about the assertions of others that meet there. */
export interface BatchPlan {
  readonly hosts: ReadonlyMap<HostFacts, PlannedFacts>;
  /** Hosts of others that get or lose the condition of a conflict. */
  readonly others: readonly Judged[];
  readonly assertions: AssertionChanges;
}

/** What of the batch others are told by. */
interface Draft {
  readonly facts: HostFacts;
  readonly plan: HostPlan;
  /** Undefined: what the facts say counts for nothing. */
  readonly asserter: Asserter | undefined;
}

/** Compares all facts with what is stored, and then each host that they are about, as it will be, with all that have something in common with it. */
export async function planBatch(
  options: Pick<ApplyOptions, 'kinds' | 'clock'>,
  batch: Iterable<HostFacts>,
  known: Known,
  match: PlanOptions,
): Promise<BatchPlan> {
  const nowMs = options.clock.now();
  const ledger = new AssertionLedger(known.assertions);
  const census = known.census();
  const own = new Map<string, string>(); // host of the source -> id that the source has for it
  const drafts: Draft[] = [];
  for (const facts of batch) {
    const alike = () => census.withMarks(listMarks(marksOfFacts(facts)));
    const planned = await planHost(options, facts, known, alike, match);
    const taken = takenBefore(planned, own);
    const plan = taken ?? planned;
    const host = hostOf(plan);
    if (host !== undefined) own.set(host.id, facts.sourceId);
    const isVoid = plan.kind === 'refused' || taken !== undefined;
    drafts.push({ facts, plan, asserter: isVoid ? undefined : asserterOf(facts, host, known, match.source) });
  }
  for (const { asserter } of drafts) if (asserter?.own !== undefined) census.put(asserter.own);
  const heard = drafts.map((draft) => ({ ...draft, ...hear(draft, ledger, census, (id) => known.isNear(id) && !own.has(id)) }));
  const concerned = new Set(heard.flatMap(({ met, changed }) => [...met, ...changed]));
  const others = [...concerned].flatMap((id) => (own.has(id) ? [] : (known.withId(id) ?? [])));
  const judged = new Map(ledger.judgeAll(others, nowMs).map((each) => [each.before.id, each])); // hosts of others whose condition changes
  const hosts = heard.map(({ facts, plan, met, changed }) => {
    const touches = [...changed, ...[...met].filter((id) => judged.has(id))];
    return [facts, { plan: withJudgement(plan, (host) => ledger.judge(host, nowMs)), touches: new Set(touches) }] as const;
  });
  return { hosts: new Map(hosts), others: [...judged.values()], assertions: ledger.changes() };
}

function asserterOf(facts: HostFacts, own: Host | undefined, known: Known, source: string): Asserter {
  const asked = own === undefined && facts.id !== '' ? known.withId(facts.id) : undefined;
  return { source, sourceId: facts.sourceId, marks: own === undefined ? marksOfFacts(facts) : marksOf(own.spec), own, asked };
}

/** The assertions of one of the batch and of those that have, or had, something in common with it. */
function hear(
  { plan, asserter }: Draft,
  ledger: AssertionLedger,
  census: MachineCensus,
  isJudged: (id: string) => boolean,
): { readonly met: ReadonlySet<string>; readonly changed: ReadonlySet<string> } {
  if (asserter === undefined) return { met: new Set(), changed: new Set() };
  const changed = new Set(ledger.hear(asserter, census));
  const hosts = [...(plan.kind === 'update' ? [plan.before] : []), ...(asserter.own === undefined ? [] : [asserter.own])];
  const marks = [...listMarks(asserter.marks), ...hosts.flatMap(marksOfHost)];
  const met = new Set<string>(asserter.asked === undefined ? [] : [asserter.asked.id]);
  for (const host of census.sharing(marks)) {
    if (host.id === asserter.own?.id) continue;
    met.add(host.id);
    if (isJudged(host.id)) for (const id of ledger.hearHost(host, census)) changed.add(id);
  }
  return { met, changed };
}

/**
 * The conflict of a host that another of the batch has taken over already: two of a source may be like one host of a person, by a mark each. To write it twice would
 * fail the whole batch.
 */
function takenBefore(plan: HostPlan, own: ReadonlyMap<string, string>): HostPlan | undefined {
  const id = hostOf(plan)?.id ?? '';
  const taker = own.get(id);
  if (id === '' || taker === undefined) return undefined;
  return {
    kind: 'conflict',
    id,
    message: `host "${id}" is taken by "${taker}" of this batch, which is the same machine; correct one of the two`,
  };
}

/** The host of the source that the plan ends in. */
function hostOf(plan: HostPlan): Host | undefined {
  if (plan.kind === 'create' || plan.kind === 'update') return plan.after;
  return plan.kind === 'none' ? plan.host : undefined;
}

function withJudgement(plan: HostPlan, judge: (host: Host) => Host): HostPlan {
  switch (plan.kind) {
    case 'update':
      return { ...plan, after: judge(plan.after) };
    case 'none': {
      const after = judge(plan.host);
      return after === plan.host ? plan : { kind: 'update', before: plan.host, after };
    }
    case 'create':
      return { ...plan, after: judge(plan.after) };
    case 'conflict':
    case 'refused':
      return plan;
  }
}
