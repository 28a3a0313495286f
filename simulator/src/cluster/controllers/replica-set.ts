import { again, done, jsonEqual, type Outcome, type Reconciler } from '@quartermaster/controller';
import { kinds, type ObjectKeyText } from '@quartermaster/kube';
import type { ReplicaSet, ReplicaSetStatus } from 'kubernetes-types/apps/v1.js';
import type { ControllerContext } from './controller-context.ts';
import { PodControl, podOf } from './pod-control.ts';
import { isActive, isAvailable, type WorkloadPod } from './workload-pod.ts';

/** At most this many pods are made or deleted before the set is looked at again. */
const burst = 500;

/** Keeps as many pods of its template as a ReplicaSet says. */
export class ReplicaSetReconciler implements Reconciler {
  readonly name = 'simulated-replica-set';
  readonly #context: ControllerContext;
  readonly #pods: PodControl;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#pods = new PodControl(context);
  }

  async reconcile(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const set = this.#context.caches.replicaSets.get(key)?.value;
    if (set === undefined || set.metadata?.deletionTimestamp !== undefined) return done;
    const { pods, unseen } = this.#pods.podsOf(set.metadata?.uid ?? '');
    const active = pods.filter(isActive);
    const missing = (set.spec?.replicas ?? 1) - active.length - unseen.length;
    if (missing > 0) {
      const { namespace = '', name = '' } = set.metadata ?? {};
      const more = Array.from({ length: Math.min(missing, burst) }, () =>
        podOf(namespace, { generateName: `${name}-` }, set.spec?.template),
      );
      await this.#pods.create(kinds.replicaSets, set, more, signal);
    } else if (missing < 0 && unseen.length === 0) {
      await this.#pods.delete(kinds.replicaSets, set, [...active].sort(byWorth).slice(0, Math.min(-missing, burst)), signal);
    }
    return await this.#writeStatus(set, active, signal);
  }

  async #writeStatus(set: ReplicaSet, active: readonly WorkloadPod[], signal: AbortSignal): Promise<Outcome> {
    const { client, clock } = this.#context;
    const minReadySeconds = set.spec?.minReadySeconds ?? 0;
    const ready = active.filter(({ isReady }) => isReady);
    const available = ready.filter((pod) => isAvailable(pod, minReadySeconds, clock.now()));
    const status: ReplicaSetStatus = {
      replicas: active.length,
      fullyLabeledReplicas: active.length,
      readyReplicas: ready.length,
      availableReplicas: available.length,
      observedGeneration: set.metadata?.generation ?? 0,
    };
    if (!jsonEqual({ ...emptyStatus, ...set.status }, status)) {
      const { namespace, name = '' } = set.metadata ?? {};
      await client.patch(kinds.replicaSets, { namespace, name }, { kind: 'merge', body: { status } }, { subresource: 'status', signal });
    }
    return available.length < ready.length ? again(1000) : done;
  }
}

const emptyStatus = { replicas: 0, fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 };

/** The ones to lose first come first: not on a node, not running, not ready, the youngest. */
function byWorth(a: WorkloadPod, b: WorkloadPod): number {
  const worth = ({ node, phase, isReady }: WorkloadPod): number =>
    (node === '' ? 0 : 4) + (phase === 'Running' ? 2 : 0) + (isReady ? 1 : 0);
  return worth(a) - worth(b) || b.createdMs - a.createdMs;
}
