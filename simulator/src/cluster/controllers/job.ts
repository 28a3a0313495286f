import { done, type Outcome } from '@quartermaster/controller';
import { kinds } from '@quartermaster/kube';
import type { Job, JobCondition, JobStatus } from '@quartermaster/kube/shapes';
import { isActive, type WorkloadPod } from '../pods/workload-pod.ts';
import { podOf } from './pod-control.ts';
import type { Workload, WorkloadTurn } from './workload-reconciler.ts';

/** Runs the pods of a Job until enough of them have succeeded or too many have failed. Counts the pods that are there. */
export const jobWorkload: Workload<Job> = {
  name: 'simulated-job',
  type: kinds.jobs,
  cacheOf: (caches) => caches.jobs,
  keep: keepJob,
};

async function keepJob(job: Job, turn: WorkloadTurn): Promise<Outcome> {
  const { pods, unseen } = turn;
  if (isFinished(job)) return done;
  const counts = countPods(pods);
  const verdict = verdictOf(job, counts);
  if (verdict !== undefined) await turn.delete(counts.active);
  else if (job.spec?.suspend === true) await turn.delete(counts.active);
  else {
    const missing = wantedPods(job, counts) - counts.active.length - unseen.length;
    const { namespace = '', name = '' } = job.metadata ?? {};
    const more = Array.from({ length: Math.max(missing, 0) }, () => podOf(namespace, { generateName: `${name}-` }, job.spec?.template));
    await turn.create(more);
    if (missing < 0 && unseen.length === 0) await turn.delete(counts.active.slice(missing));
  }
  await writeStatus(job, counts, verdict, turn);
  return done;
}

async function writeStatus(job: Job, counts: PodCounts, verdict: JobVerdict | undefined, turn: WorkloadTurn): Promise<void> {
  const { clock, events } = turn;
  const now = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const isOver = verdict !== undefined && counts.active.length === 0;
  const status: JobStatus = {
    startTime: job.status?.startTime ?? now,
    active: counts.active.length,
    ready: counts.active.filter(({ isReady }) => isReady).length,
    succeeded: counts.succeeded,
    failed: counts.failed,
    terminating: 0,
    uncountedTerminatedPods: job.status?.uncountedTerminatedPods ?? {},
    conditions: conditionsOf(job, verdict, isOver, now),
    ...(isOver && verdict.kind === 'Complete' ? { completionTime: now } : {}),
  };
  if (!(await turn.writeStatus(status)) || !isOver) return;
  const isComplete = verdict.kind === 'Complete';
  const notice = { reason: isComplete ? 'Completed' : verdict.reason, action: 'Finish', note: verdict.message };
  events.tell(kinds.jobs, job.metadata ?? {}, isComplete ? 'Normal' : 'Warning', notice);
}

interface PodCounts {
  readonly active: readonly WorkloadPod[];
  readonly succeeded: number;
  readonly failed: number;
}

interface JobVerdict {
  readonly kind: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

function countPods(pods: readonly WorkloadPod[]): PodCounts {
  return {
    active: pods.filter(isActive),
    succeeded: pods.filter(({ phase }) => phase === 'Succeeded').length,
    failed: pods.filter(({ phase }) => phase === 'Failed').length,
  };
}

/** How the Job is bound to end, as soon as that is certain. Without completions, one success is enough once all pods have ended. */
function verdictOf(job: Job, { active, succeeded, failed }: PodCounts): JobVerdict | undefined {
  const { completions, backoffLimit = 6 } = job.spec ?? {};
  if (failed > backoffLimit)
    return { kind: 'Failed', reason: 'BackoffLimitExceeded', message: 'more pods failed than backoffLimit allows' };
  const isEnough = completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;
  return isEnough ? { kind: 'Complete', reason: 'CompletionsReached', message: 'enough pods have succeeded' } : undefined;
}

function wantedPods(job: Job, { succeeded, active }: PodCounts): number {
  const { completions, parallelism = 1 } = job.spec ?? {};
  if (completions !== undefined) return Math.min(parallelism, completions - succeeded);
  return succeeded > 0 ? active.length : parallelism;
}

/** API servers accept the end of a Job only after the condition that announces it. */
function conditionsOf(job: Job, verdict: JobVerdict | undefined, isOver: boolean, now: string): readonly JobCondition[] {
  const known = job.status?.conditions ?? [];
  const added = (type: string, { reason, message }: JobVerdict): JobCondition[] =>
    known.some((condition) => condition.type === type)
      ? []
      : [{ type, status: 'True', reason, message, lastProbeTime: now, lastTransitionTime: now }];
  if (verdict === undefined) return known;
  const announced = added(verdict.kind === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', verdict);
  return [...known, ...announced, ...(isOver ? added(verdict.kind, verdict) : [])];
}

function isFinished({ status }: Job): boolean {
  return status?.conditions?.some(({ type, status: value }) => value === 'True' && (type === 'Complete' || type === 'Failed')) === true;
}
