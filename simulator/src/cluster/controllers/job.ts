import { again, done, jsonEqual, type Outcome, type Reconciler } from '@quartermaster/controller';
import { kinds, type ObjectKeyText } from '@quartermaster/kube';
import type { Job, JobCondition, JobStatus } from 'kubernetes-types/batch/v1.js';
import type { ControllerContext } from './controller-context.ts';
import { PodControl, podOf } from './pod-control.ts';
import { isActive, type WorkloadPod } from './workload-pod.ts';

/** Runs the pods of a Job until enough of them have succeeded or too many have failed. Counts the pods that are there. */
export class JobReconciler implements Reconciler {
  readonly name = 'simulated-job';
  readonly #context: ControllerContext;
  readonly #pods: PodControl;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#pods = new PodControl(context);
  }

  async reconcile(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const job = this.#context.caches.jobs.get(key)?.value;
    if (job === undefined || job.metadata?.deletionTimestamp !== undefined) return done;
    const { pods, unseen } = this.#pods.podsOf(job.metadata?.uid ?? '');
    if (isFinished(job)) return await this.#expire(job, signal);
    const counts = countPods(pods);
    const verdict = verdictOf(job, counts);
    if (verdict !== undefined) await this.#pods.delete(kinds.jobs, job, counts.active, signal);
    else if (job.spec?.suspend === true) await this.#pods.delete(kinds.jobs, job, counts.active, signal);
    else {
      const missing = wantedPods(job, counts) - counts.active.length - unseen.length;
      const { namespace = '', name = '' } = job.metadata ?? {};
      const more = Array.from({ length: Math.max(missing, 0) }, () => podOf(namespace, { generateName: `${name}-` }, job.spec?.template));
      await this.#pods.create(kinds.jobs, job, more, signal);
      if (missing < 0 && unseen.length === 0) await this.#pods.delete(kinds.jobs, job, counts.active.slice(missing), signal);
    }
    await this.#writeStatus(job, counts, verdict, signal);
    return done;
  }

  async #writeStatus(job: Job, counts: PodCounts, verdict: Verdict | undefined, signal: AbortSignal): Promise<void> {
    const { client, clock, events } = this.#context;
    const now = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    const isOver = verdict !== undefined && counts.active.length === 0;
    const status: JobStatus = {
      startTime: job.status?.startTime ?? now,
      active: counts.active.length,
      ready: counts.active.filter(({ isReady }) => isReady).length,
      succeeded: counts.succeeded,
      failed: counts.failed,
      terminating: 0,
      uncountedTerminatedPods: {},
      conditions: conditionsOf(job, verdict, isOver, now),
      ...(isOver && verdict.kind === 'Complete' ? { completionTime: now } : {}),
    };
    if (jsonEqual({ ...emptyStatus, ...job.status }, status)) return;
    const { namespace, name = '' } = job.metadata ?? {};
    await client.patch(kinds.jobs, { namespace, name }, { kind: 'merge', body: { status } }, { subresource: 'status', signal });
    if (!isOver) return;
    const isComplete = verdict.kind === 'Complete';
    const notice = { reason: isComplete ? 'Completed' : verdict.reason, action: 'Finish', note: verdict.message };
    events.tell(kinds.jobs, job.metadata ?? {}, isComplete ? 'Normal' : 'Warning', notice);
  }

  /** Deletes a finished Job when its time to live is over. */
  async #expire(job: Job, signal: AbortSignal): Promise<Outcome> {
    const ttlSeconds = job.spec?.ttlSecondsAfterFinished;
    const finished = job.status?.conditions?.find(({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'));
    if (ttlSeconds === undefined || finished === undefined) return done;
    const leftMs = Date.parse(finished.lastTransitionTime ?? '') + ttlSeconds * 1000 - this.#context.clock.now();
    if (leftMs > 0) return again(leftMs);
    const { namespace, name = '', uid = '' } = job.metadata ?? {};
    await this.#context.client.delete(kinds.jobs, { namespace, name }, { propagation: 'Background', preconditions: { uid }, signal });
    return done;
  }
}

interface PodCounts {
  readonly active: readonly WorkloadPod[];
  readonly succeeded: number;
  readonly failed: number;
}

interface Verdict {
  readonly kind: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

const emptyStatus = { active: 0, ready: 0, succeeded: 0, failed: 0, terminating: 0, uncountedTerminatedPods: {}, conditions: [] };

function countPods(pods: readonly WorkloadPod[]): PodCounts {
  return {
    active: pods.filter(isActive),
    succeeded: pods.filter(({ phase }) => phase === 'Succeeded').length,
    failed: pods.filter(({ phase }) => phase === 'Failed').length,
  };
}

/** How the Job is bound to end, as soon as that is certain. Without completions, one success is enough once all pods have ended. */
function verdictOf(job: Job, { active, succeeded, failed }: PodCounts): Verdict | undefined {
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
function conditionsOf(job: Job, verdict: Verdict | undefined, isOver: boolean, now: string): JobCondition[] {
  const known = job.status?.conditions ?? [];
  const added = (type: string, { reason, message }: Verdict): JobCondition[] =>
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
