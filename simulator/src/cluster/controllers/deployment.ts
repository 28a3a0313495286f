import { done, jsonEqual, type Outcome, type Reconciler, withOwner } from '@quartermaster/controller';
import { isFailure, kinds, type ObjectKeyText } from '@quartermaster/kube';
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@quartermaster/kube/shapes';
import type { ControllerContext } from './controller-context.ts';
import { planRollout } from './rolling-update.ts';
import { templateHash } from './template-hash.ts';

const revisionAnnotation = 'deployment.kubernetes.io/revision';
const hashLabel = 'pod-template-hash';

/** Keeps one ReplicaSet per template of a Deployment and moves the replicas from the old ones to the newest. */
export class DeploymentReconciler implements Reconciler {
  readonly name = 'simulated-deployment';
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async reconcile(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const { caches } = this.#context;
    const deployment = caches.deployments.get(key)?.value;
    if (deployment === undefined || deployment.metadata?.deletionTimestamp !== undefined) return done;
    const sets = caches.replicaSets.byIndex('owner', deployment.metadata?.uid ?? '').map(({ value }) => value);
    const name = `${deployment.metadata?.name}-${templateHash(deployment.spec?.template)}`;
    const current = sets.find(({ metadata }) => metadata?.name === name);
    if (current === undefined) await this.#createSet(deployment, name, nextRevision(sets), signal);
    else {
      const others = sets.filter((set) => set !== current);
      await this.#keepRevision(deployment, current, others, signal);
      if (deployment.spec?.paused !== true) await this.#roll(deployment, current, others, signal);
      await this.#forgetOld(deployment, others, signal);
    }
    await this.#writeStatus(deployment, current, sets, signal);
    return done;
  }

  async #createSet(deployment: Deployment, name: string, revision: number, signal: AbortSignal): Promise<void> {
    const hash = name.slice((deployment.metadata?.name ?? '').length + 1);
    const { namespace = '' } = deployment.metadata ?? {};
    const { template, selector, minReadySeconds } = deployment.spec ?? {};
    const labels = { ...template?.metadata?.labels, [hashLabel]: hash };
    const set: ReplicaSet = {
      metadata: { namespace, name, labels, annotations: { [revisionAnnotation]: String(revision) } },
      spec: {
        replicas: 0,
        ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
        selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
        template: { ...template, metadata: { ...template?.metadata, labels } },
      },
    };
    try {
      await this.#context.client.create(kinds.replicaSets, withOwner(set, kinds.deployments, deployment), { signal });
    } catch (error) {
      if (!isFailure(error, 'already-exists')) throw error;
    }
  }

  /** The current set has the highest revision, also when an old template is used again; the Deployment shows it. */
  async #keepRevision(deployment: Deployment, current: ReplicaSet, others: readonly ReplicaSet[], signal: AbortSignal): Promise<void> {
    const revision = Math.max(revisionOf(current), nextRevision(others));
    const annotations = { [revisionAnnotation]: String(revision) };
    const { client } = this.#context;
    if (revisionOf(current) !== revision) {
      await client.patch(kinds.replicaSets, namedBy(current), { kind: 'merge', body: { metadata: { annotations } } }, { signal });
    }
    if (revisionOf(deployment) !== revision) {
      await client.patch(kinds.deployments, namedBy(deployment), { kind: 'merge', body: { metadata: { annotations } } }, { signal });
    }
  }

  async #roll(deployment: Deployment, current: ReplicaSet, others: readonly ReplicaSet[], signal: AbortSignal): Promise<void> {
    const { replicas = 1, strategy } = deployment.spec ?? {};
    const recreate = strategy?.type === 'Recreate';
    const generation = (set: ReplicaSet) => ({
      name: set.metadata?.name ?? '',
      // With Recreate, a set whose pods are not gone yet still counts.
      replicas: recreate && set !== current ? Math.max(set.spec?.replicas ?? 0, set.status?.replicas ?? 0) : (set.spec?.replicas ?? 0),
      available: set.status?.availableReplicas ?? 0,
    });
    const { scales } = planRollout(replicas, strategy, generation(current), others.map(generation));
    for (const [name, wanted] of scales) {
      const set = [current, ...others].find(({ metadata }) => metadata?.name === name);
      if (set === undefined || set.spec?.replicas === wanted) continue;
      // With the version that was decided upon: an older view of a set must not scale it back.
      const body = { metadata: { resourceVersion: set.metadata?.resourceVersion }, spec: { replicas: wanted } };
      await this.#context.client.patch(kinds.replicaSets, namedBy(set), { kind: 'merge', body }, { signal });
      const before = set.spec?.replicas ?? 0;
      const note = `Scaled ${wanted > before ? 'up' : 'down'} replica set ${name} from ${before} to ${wanted}`;
      this.#context.events.tell(kinds.deployments, deployment.metadata ?? {}, 'Normal', {
        reason: 'ScalingReplicaSet',
        action: 'Scale',
        note,
      });
    }
  }

  async #forgetOld(deployment: Deployment, others: readonly ReplicaSet[], signal: AbortSignal): Promise<void> {
    const keep = deployment.spec?.revisionHistoryLimit ?? 10;
    const idle = others.filter(({ spec, status }) => (spec?.replicas ?? 0) === 0 && (status?.replicas ?? 0) === 0);
    const old = idle.sort((a, b) => revisionOf(a) - revisionOf(b)).slice(0, Math.max(idle.length - keep, 0));
    for (const set of old) await this.#context.client.delete(kinds.replicaSets, namedBy(set), { signal });
  }

  async #writeStatus(
    deployment: Deployment,
    current: ReplicaSet | undefined,
    sets: readonly ReplicaSet[],
    signal: AbortSignal,
  ): Promise<void> {
    const { client, clock } = this.#context;
    const sum = (count: (set: ReplicaSet) => number | undefined): number => sets.reduce((total, set) => total + (count(set) ?? 0), 0);
    const replicas = deployment.spec?.replicas ?? 1;
    const available = sum(({ status }) => status?.availableReplicas);
    const updated = current?.status?.replicas ?? 0;
    const isComplete = updated === replicas && available === replicas && sum(({ status }) => status?.replicas) === replicas;
    const now = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    const condition = (type: string, status: 'True' | 'False', reason: string, message: string): DeploymentCondition => {
      const before = deployment.status?.conditions?.find((known) => known.type === type);
      if (before?.status === status && before.reason === reason) return before;
      const since = before?.status === status ? (before.lastTransitionTime ?? now) : now;
      return { type, status, reason, message, lastTransitionTime: since, lastUpdateTime: now };
    };
    const status: DeploymentStatus = {
      observedGeneration: deployment.metadata?.generation ?? 0,
      replicas: sum((set) => set.status?.replicas),
      updatedReplicas: updated,
      readyReplicas: sum((set) => set.status?.readyReplicas),
      availableReplicas: available,
      unavailableReplicas: Math.max(replicas - available, 0),
      conditions: [
        available >= replicas - Math.floor(replicas * 0.25)
          ? condition('Available', 'True', 'MinimumReplicasAvailable', 'enough replicas are available')
          : condition('Available', 'False', 'MinimumReplicasUnavailable', 'too few replicas are available'),
        isComplete
          ? condition('Progressing', 'True', 'NewReplicaSetAvailable', 'the newest ReplicaSet has all replicas')
          : condition('Progressing', 'True', 'ReplicaSetUpdated', 'replicas are being replaced'),
      ],
    };
    if (jsonEqual({ ...emptyStatus, ...deployment.status }, status)) return;
    await client.patch(kinds.deployments, namedBy(deployment), { kind: 'merge', body: { status } }, { subresource: 'status', signal });
  }
}

const emptyStatus = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, unavailableReplicas: 0 };

const namedBy = ({ metadata }: Deployment | ReplicaSet) => ({ namespace: metadata?.namespace, name: metadata?.name ?? '' });

const revisionOf = ({ metadata }: Deployment | ReplicaSet): number => Number(metadata?.annotations?.[revisionAnnotation] ?? 0);

const nextRevision = (sets: readonly ReplicaSet[]): number => Math.max(0, ...sets.map(revisionOf)) + 1;
