import { done, type Outcome } from '@quartermaster/controller';
import { kinds } from '@quartermaster/kube';
import type { ReplicaSet, ReplicaSetStatus } from '@quartermaster/kube/shapes';
import { isActive, type WorkloadPod } from '../pods/workload-pod.ts';
import { podOf } from './pod-control.ts';
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
  const ready = active.filter(({ isReady }) => isReady).length;
  const status: ReplicaSetStatus = {
    replicas: active.length,
    fullyLabeledReplicas: active.length,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: set.metadata?.generation ?? 0,
  };
  await turn.writeStatus(status);
  return done;
}

/** The ones to lose first come first: not on a node, not running, not ready, the youngest. */
function byWorth(a: WorkloadPod, b: WorkloadPod): number {
  const worth = ({ nodeName, phase, isReady }: WorkloadPod): number =>
    (nodeName === '' ? 0 : 4) + (phase === 'Running' ? 2 : 0) + (isReady ? 1 : 0);
  return worth(a) - worth(b) || b.createdMs - a.createdMs;
}
