import type { LeaseSight } from '../known-leases/lease-sight.ts';

/** A step of the way of a lease, from the order to its end. */
export interface LeasePhase {
  readonly name: 'order' | 'bid' | 'lease' | 'manifest' | 'deployed' | 'running' | 'closing' | 'closed';
  /** `waiting` is where the lease stands; what comes after it is `ahead`. */
  readonly state: 'done' | 'waiting' | 'failed' | 'ahead';
  /** Wall clock, milliseconds. Undefined: not yet, or nobody has recorded it. */
  readonly at?: number | undefined;
  /** What it waits for, or why it failed. */
  readonly message: string;
}

/** In their order; `closing` and `closed` only of one that ends. */
export function leasePhases(sight: LeaseSight): readonly LeasePhase[] {
  const { decision, record } = sight;
  const begun: readonly LeasePhase[] = [
    { name: 'order', state: 'done', at: decision?.orderedAt, message: '' },
    { name: 'bid', state: 'done', at: decision?.bidAt, message: '' },
    { name: 'lease', state: 'done', at: record.wonAt ?? decision?.wonAt, message: '' },
  ];
  const isEnding = record.closingAt !== undefined || record.state === 'Complete';
  return isEnding ? [...begun, ...endedSteps(sight), ...ends(sight)] : [...begun, ...openSteps(sight)];
}

const steps = ['manifest', 'deployed', 'running'] as const;
type Step = (typeof steps)[number];

const timeOf = ({ record }: LeaseSight, step: Step): number | undefined =>
  ({ manifest: record.manifestAt, deployed: record.deployedAt, running: record.runningAt })[step];

/** The manifest may be there before anybody has recorded when it came. */
const isDone = (sight: LeaseSight, step: Step): boolean =>
  timeOf(sight, step) !== undefined || (step === 'manifest' && sight.manifest !== undefined);

/** The first that is not done is where it stands. */
function openSteps(sight: LeaseSight): LeasePhase[] {
  const first = steps.findIndex((step) => !isDone(sight, step));
  return steps.map((name, index): LeasePhase => {
    if (first !== -1 && index > first) return { name, state: 'ahead', message: '' };
    if (index === first) return { name, ...standing(sight, name) };
    const done = { name, at: timeOf(sight, name) };
    return name === 'running' ? { ...done, ...runningNow(sight) } : { ...done, state: 'done', message: '' };
  });
}

/** Where it stands, in the words of whoever works on it. */
function standing(sight: LeaseSight, step: Step): Omit<LeasePhase, 'name'> {
  const { record, health } = sight;
  const said = record.message;
  const until = closesText(sight);
  if (step === 'running' && health?.state === 'unhealthy') return { state: 'failed', message: withEnd(problemsOf(sight), until) };
  if (step === 'manifest' && record.refused !== undefined) return { state: 'failed', message: withEnd(record.refused.message, until) };
  if (record.state === 'Error') return { state: 'failed', message: withEnd(said, until) };
  if (step === 'manifest') return { state: 'waiting', message: withEnd(said || "waiting for the tenant's manifest", until) };
  if (step === 'deployed') return { state: 'waiting', message: said || 'its objects are being created' };
  return { state: 'waiting', message: problemsOf(sight) || 'waiting for its replicas to become available' };
}

function runningNow(sight: LeaseSight): Pick<LeasePhase, 'state' | 'message'> {
  const state = sight.health?.state;
  if (state === 'unhealthy') return { state: 'failed', message: withEnd(problemsOf(sight), closesText(sight)) };
  return { state: 'done', message: state === 'unknown' || state === 'starting' ? problemsOf(sight) : '' };
}

function problemsOf({ health }: LeaseSight): string {
  const told = (health?.services ?? []).flatMap(({ service, problems }) => problems.map(({ message }) => `${service}: ${message}`));
  const [first = '', ...others] = told;
  if (others.length === 0) return first;
  return `${first.replace(/\.$/, '')} (and ${others.length} more ${others.length === 1 ? 'problem' : 'problems'})`;
}

const closesText = ({ closesAt }: LeaseSight): string => (closesAt === undefined ? '' : `the lease closes at ${momentText(closesAt)}`);
const withEnd = (text: string, until: string): string => [text.replace(/\.$/, ''), until].filter((part) => part !== '').join('; ');

/** `2026-01-01 00:05:00 UTC` */
const momentText = (ms: number): string => `${new Date(Math.ceil(ms / 1000) * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

function endedSteps(sight: LeaseSight): LeasePhase[] {
  return steps.map((name): LeasePhase => {
    const at = timeOf(sight, name);
    return at === undefined
      ? { name, state: 'failed', message: 'the lease ended before this step' }
      : { name, state: 'done', at, message: '' };
  });
}

function ends({ record, market }: LeaseSight): LeasePhase[] {
  const { closingAt, completeAt, closedReason = market.reason ?? '', leftovers } = record;
  const [first, ...others] = leftovers;
  const left = first === undefined ? '' : `${first.what} cannot be removed yet: ${first.message}`;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [
    { name: 'closing', state: 'done', at: closingAt, message: closedReason },
    record.state === 'Complete'
      ? { name: 'closed', state: 'done', at: completeAt, message: '' }
      : { name: 'closed', state: 'waiting', message: left === '' ? 'its workload is being removed' : `${left}${more}` },
  ];
}
