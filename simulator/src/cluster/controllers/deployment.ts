import { done, jsonEqual, type Reconciler, withOwner } from '@quartermaster/controller';
import { kinds, refOf } from '@quartermaster/kube';
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@quartermaster/kube/shapes';
import { tolerating } from '../client/tolerating.ts';
import type { ControllerContext } from './controller-context.ts';
import { planRollout } from './rolling-update.ts';
import { templateHash } from './template-hash.ts';

const hashLabel = 'pod-template-hash';

/**
 * Keeps one ReplicaSet per template of a Deployment and moves the replicas from the old ones to the newest. Old ones go once they are
 * empty: there is no history to go back to.
 */
export const deploymentReconciler = (context: ControllerContext): Reconciler => ({
  name: 'simulated-deployment',
  reconcile: async (key, signal) => {
    const { caches, client } = context;
    const deployment = caches.deployments.get(key)?.value;
    if (deployment === undefined || deployment.metadata?.deletionTimestamp !== undefined) return done;
    const sets = caches.replicaSets.byIndex('owner', deployment.metadata?.uid ?? '').map(({ value }) => value);
    const wanted = newestSet(deployment);
    const current = sets.find(({ metadata }) => metadata?.name === wanted.metadata?.name);
    if (current === undefined) {
      const set = withOwner(wanted, kinds.deployments, deployment);
      await tolerating('already-exists', client.create(kinds.replicaSets, set, { signal }));
    } else {
      const others = sets.filter((set) => set !== current);
      if (deployment.spec?.paused !== true) await roll(context, deployment, current, others, signal);
      const idle = others.filter(({ spec, status }) => (spec?.replicas ?? 0) === 0 && (status?.replicas ?? 0) === 0);
      for (const set of idle) await client.delete(kinds.replicaSets, refOf(set), { signal });
    }
    const status = statusOf(deployment, current, sets, `${new Date(context.clock.now()).toISOString().slice(0, 19)}Z`);
    if (!jsonEqual({ ...emptyStatus, ...deployment.status }, status))
      await client.patch(kinds.deployments, refOf(deployment), { kind: 'merge', body: { status } }, { subresource: 'status', signal });
    return done;
  },
});

function newestSet({ metadata, spec }: Deployment): ReplicaSet {
  const hash = templateHash(spec?.template);
  const labels = { ...spec?.template.metadata?.labels, [hashLabel]: hash };
  return {
    metadata: { namespace: metadata?.namespace ?? '', name: `${metadata?.name}-${hash}`, labels },
    spec: {
      replicas: 0,
      selector: { ...spec?.selector, matchLabels: { ...spec?.selector.matchLabels, [hashLabel]: hash } },
      template: { ...spec?.template, metadata: { ...spec?.template.metadata, labels } },
    },
  };
}

async function roll(
  { client, events }: ControllerContext,
  deployment: Deployment,
  current: ReplicaSet,
  others: readonly ReplicaSet[],
  signal: AbortSignal,
): Promise<void> {
  const { replicas = 1, strategy } = deployment.spec ?? {};
  const generation = (set: ReplicaSet) => {
    const asked = set.spec?.replicas ?? 0;
    // With Recreate, a set whose pods are not gone yet still counts.
    const isCounted = strategy?.type === 'Recreate' && set !== current;
    const all = isCounted ? Math.max(asked, set.status?.replicas ?? 0) : asked;
    return { name: set.metadata?.name ?? '', replicas: all, available: set.status?.availableReplicas ?? 0 };
  };
  const scales = planRollout(replicas, strategy, generation(current), others.map(generation));
  for (const set of [current, ...others]) {
    const { name = '', resourceVersion } = set.metadata ?? {};
    const [before, wanted] = [set.spec?.replicas ?? 0, scales.get(name)];
    if (wanted === undefined || wanted === before) continue;
    // With the version that was decided upon: an older view of a set must not scale it back.
    const body = { metadata: { resourceVersion }, spec: { replicas: wanted } };
    await client.patch(kinds.replicaSets, refOf(set), { kind: 'merge', body }, { signal });
    const note = `Scaled ${wanted > before ? 'up' : 'down'} replica set ${name} from ${before} to ${wanted}`;
    events.tell(kinds.deployments, deployment.metadata ?? {}, 'Normal', { reason: 'ScalingReplicaSet', action: 'Scale', note });
  }
}

const emptyStatus = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 0 };

function statusOf(deployment: Deployment, current: ReplicaSet | undefined, sets: readonly ReplicaSet[], now: string): DeploymentStatus {
  const sum = (count: (set: ReplicaSet) => number | undefined): number => sets.reduce((total, set) => total + (count(set) ?? 0), 0);
  const replicas = deployment.spec?.replicas ?? 1;
  const all = sum(({ status }) => status?.replicas);
  const available = sum(({ status }) => status?.availableReplicas);
  const updated = current?.status?.replicas ?? 0;
  const isAvailable = available >= replicas - Math.floor(replicas * 0.25);
  const isComplete = updated === replicas && available === replicas && all === replicas;
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string): DeploymentCondition => {
    const before = deployment.status?.conditions?.find((known) => known.type === type);
    if (before?.status === status && before.reason === reason) return before;
    const since = before?.status === status ? (before.lastTransitionTime ?? now) : now;
    return { type, status, reason, message, lastTransitionTime: since, lastUpdateTime: now };
  };
  return {
    observedGeneration: deployment.metadata?.generation ?? 0,
    replicas: all,
    updatedReplicas: updated,
    readyReplicas: sum(({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(replicas - available, 0),
    conditions: [
      isAvailable
        ? condition('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.')
        : condition('Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'),
      isComplete
        ? condition('Progressing', 'True', 'NewReplicaSetAvailable', 'The newest ReplicaSet has all replicas.')
        : condition('Progressing', 'True', 'ReplicaSetUpdated', 'The newest ReplicaSet is progressing.'),
    ],
  };
}
