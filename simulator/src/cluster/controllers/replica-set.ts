import { again, done, jsonEqual, type Outcome } from '@quartermaster/controller';
import { kinds } from '@quartermaster/kube';
import type { ReplicaSet, ReplicaSetStatus } from '@quartermaster/kube/shapes';
import { podOf } from './pod-control.ts';
import { isActive, isAvailable, type WorkloadPod } from './workload-pod.ts';
import type { Workload, WorkloadTurn } from './workload-reconciler.ts';

/** At most this many pods are made or deleted before the set is looked at again. */
const burst = 500;

/** Keeps as many pods of its template as a ReplicaSet says. */
export const replicaSetWorkload: Workload<ReplicaSet> = {
  name: 'simulated-replica-set',
  type: kinds.replicaSets,
  cacheOf: (caches) => caches.replicaSets,
  keep: keepReplicaSet,
};

async function keepReplicaSet(set: ReplicaSet, turn: WorkloadTurn): Promise<Outcome> {
  const { pods, unseen } = turn;
  const active = pods.filter(isActive);
  const missing = (set.spec?.replicas ?? 1) - active.length - unseen.length;
  if (missing > 0) {
    const { namespace = '', name = '' } = set.metadata ?? {};
    const more = Array.from({ length: Math.min(missing, burst) }, () => podOf(namespace, { generateName: `${name}-` }, set.spec?.template));
    await turn.create(more);
  } else if (missing < 0 && unseen.length === 0) {
    await turn.delete([...active].sort(byWorth).slice(0, Math.min(-missing, burst)));
  }
  return await writeStatus(set, active, turn);
}

async function writeStatus(set: ReplicaSet, active: readonly WorkloadPod[], turn: WorkloadTurn): Promise<Outcome> {
  const { client, clock } = turn;
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
    await client.patch(
      kinds.replicaSets,
      { namespace, name },
      { kind: 'merge', body: { status } },
      { subresource: 'status', signal: turn.signal },
    );
  }
  return available.length < ready.length ? again(1000) : done;
}

const emptyStatus = { replicas: 0, fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 };

/** The ones to lose first come first: not on a node, not running, not ready, the youngest. */
function byWorth(a: WorkloadPod, b: WorkloadPod): number {
  const worth = ({ node, phase, isReady }: WorkloadPod): number =>
    (node === '' ? 0 : 4) + (phase === 'Running' ? 2 : 0) + (isReady ? 1 : 0);
  return worth(a) - worth(b) || b.createdMs - a.createdMs;
}
