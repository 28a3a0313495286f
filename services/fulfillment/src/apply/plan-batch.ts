import type { HostFacts } from '@quartermaster/api/fulfillment-extras';
import type { Host } from '@quartermaster/api/private';
import { ClaimLedger } from '../claims/claim-ledger.ts';
import { ownerOf } from '../claims/host-claim.ts';
import { marksOf } from '../claims/host-marks.ts';
import type { ApplyOptions } from './apply-options.ts';
import { type Known, marksOfFacts } from './known-hosts.ts';
import type { MatchOptions } from './match-host.ts';
import { type HostPlan, planHost } from './plan-host.ts';

/** What more hosts than these have in common tells none of them from another: firmware wrote it into all of its kind. */
const maxAlike = 8;

export interface PlannedFacts {
  readonly plan: HostPlan;
  /** Hosts of others that it also writes: what is claimed of them changes, or the condition that says so. */
  readonly touches: ReadonlySet<string>;
}

/** What is to be done about the hosts of a batch and about the claims of others that meet there. */
export interface BatchPlan {
  readonly hosts: ReadonlyMap<HostFacts, PlannedFacts>;
  /** Hosts of others that get or lose the condition of a conflict. */
  readonly others: readonly { readonly before: Host; readonly after: Host }[];
  readonly claims: ReturnType<ClaimLedger['changes']>;
}

/** Compares all facts with what is stored, and then each host that they are about with all that is claimed of it. */
export async function planBatch(
  options: Pick<ApplyOptions, 'kinds' | 'clock'>,
  batch: Iterable<HostFacts>,
  known: Known,
  match: MatchOptions,
): Promise<BatchPlan> {
  const nowMs = options.clock.now();
  const ledger = new ClaimLedger(known.claims);
  const drafts: {
    readonly facts: HostFacts;
    readonly plan: HostPlan;
    readonly met: ReadonlySet<string>;
    readonly changed: ReadonlySet<string>;
  }[] = [];
  const own = new Map<string, string>(); // host of the source -> id that the source has for it
  for (const facts of batch) {
    const planned = await planHost(options, facts, known, match);
    const taken = takenBefore(planned, own);
    const plan = taken ?? planned;
    const host = hostOf(plan);
    if (host !== undefined) own.set(host.id, facts.sourceId);
    const others = plan.kind === 'refused' || taken !== undefined ? undefined : othersLike(facts, host, known, match);
    if (others === undefined) {
      drafts.push({ facts, plan, met: new Set(), changed: new Set() });
      continue;
    }
    const { source } = match;
    const marks = host === undefined ? marksOfFacts(facts) : marksOf(host.spec);
    const changed = ledger.settle({ source, sourceId: facts.sourceId, marks, own: host, others, askedId: facts.id });
    drafts.push({ facts, plan, met: new Set(others.map(({ id }) => id)), changed });
  }
  const judged = new Map<string, { readonly before: Host; readonly after: Host }>(); // hosts of others whose condition changes
  for (const id of drafts.flatMap(({ met, changed }) => [...met, ...changed])) {
    const before = own.has(id) ? undefined : known.withId(id);
    const after = before === undefined ? undefined : ledger.judge(before, nowMs);
    if (before !== undefined && after !== undefined && after !== before) judged.set(id, { before, after });
  }
  const hosts = drafts.map(({ facts, plan, met, changed }) => {
    const touches = [...changed, ...[...met].filter((id) => judged.has(id))];
    return [facts, { plan: withJudgement(plan, (host) => ledger.judge(host, nowMs)), touches: new Set(touches) }] as const;
  });
  return { hosts: new Map(hosts), others: [...judged.values()], claims: ledger.changes() };
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

/** Hosts of others and of people that are the same machine; none when they are too many to be. */
function othersLike(facts: HostFacts, own: Host | undefined, known: Known, { source }: MatchOptions): readonly Host[] {
  const asked = own === undefined && facts.id !== '' ? known.withId(facts.id) : undefined;
  const marks = own === undefined ? marksOfFacts(facts) : marksOf(own.spec);
  const alike = new Set([...known.similarTo(marks), ...(asked === undefined ? [] : [asked])]);
  const others = [...alike].filter((host) => ownerOf(host) !== source && host.id !== own?.id);
  return others.length > maxAlike ? [] : others;
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
    case 'conflict':
    case 'refused':
      return plan;
  }
}
