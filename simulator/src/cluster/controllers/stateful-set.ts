import { done, type Outcome } from '@quartermaster/controller';
import { kinds } from '@quartermaster/kube';
import type { PersistentVolumeClaim, Pod, StatefulSet, StatefulSetStatus } from '@quartermaster/kube/shapes';
import { tolerating } from '../client/tolerating.ts';
import type { WorkloadPod } from '../pods/workload-pod.ts';
import { podOf } from './pod-control.ts';
import { templateHash } from './template-hash.ts';
import type { Workload, WorkloadTurn } from './workload-reconciler.ts';

const revisionLabel = 'controller-revision-hash';

/** Keeps the numbered pods of a StatefulSet, each with its claims, in order: up from the lowest number, down from the highest. */
export const statefulSetWorkload: Workload<StatefulSet> = {
  name: 'simulated-stateful-set',
  type: kinds.statefulSets,
  cacheOf: (caches) => caches.statefulSets,
  keep: keepStatefulSet,
};

async function keepStatefulSet(set: StatefulSet, turn: WorkloadTurn): Promise<Outcome> {
  const { pods, unseen } = turn;
  const revision = `${set.metadata?.name}-${templateHash(set.spec?.template)}`;
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod])); // ordinal -> pod
  if (unseen.length === 0) await step(set, byOrdinal, revision, turn);
  return await writeStatus(set, pods, revision, turn);
}

/** Makes, replaces or removes what comes next; with `Parallel` everything at once. */
async function step(set: StatefulSet, pods: ReadonlyMap<number, WorkloadPod>, revision: string, turn: WorkloadTurn): Promise<void> {
  const { replicas = 1, podManagementPolicy } = set.spec ?? {};
  const inOrder = podManagementPolicy !== 'Parallel';
  for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
    const pod = pods.get(ordinal);
    if (pod === undefined) await create(set, ordinal, revision, turn);
    else if (pod.phase === 'Failed' || pod.phase === 'Succeeded') await turn.delete([pod]);
    else if (!inOrder || (pod.isReady && !pod.isDeleting)) continue;
    if (inOrder) return;
  }
  const surplus = [...pods].filter(([ordinal]) => ordinal >= replicas).sort(([a], [b]) => b - a);
  for (const [, pod] of surplus) {
    if (!pod.isDeleting) await turn.delete([pod]);
    if (inOrder) return;
  }
  await update(set, pods, revision, turn);
}

/** Replaces the highest pod of an old revision once all above it are ready. */
async function update(set: StatefulSet, pods: ReadonlyMap<number, WorkloadPod>, revision: string, turn: WorkloadTurn): Promise<void> {
  for (let ordinal = (set.spec?.replicas ?? 1) - 1; ordinal >= 0; ordinal -= 1) {
    const pod = pods.get(ordinal);
    if (pod === undefined || pod.isDeleting) return;
    if (pod.labels[revisionLabel] !== revision) {
      await turn.delete([pod]);
      return;
    }
    if (!pod.isReady) return;
  }
}

async function create(set: StatefulSet, ordinal: number, revision: string, turn: WorkloadTurn): Promise<void> {
  const { namespace = '', name: setName = '' } = set.metadata ?? {};
  const name = `${setName}-${ordinal}`;
  const labels = {
    [revisionLabel]: revision,
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
  };
  const templates = set.spec?.volumeClaimTemplates ?? [];
  for (const template of templates) await createClaim(set, template, `${template.metadata?.name}-${name}`, turn);
  const pod = podOf(namespace, { name }, set.spec?.template, labels);
  await turn.create([withClaims(pod, templates, set.spec?.serviceName)]);
}

async function createClaim(set: StatefulSet, template: PersistentVolumeClaim, name: string, turn: WorkloadTurn): Promise<void> {
  const { namespace = '' } = set.metadata ?? {};
  const { client, caches } = turn;
  if (caches.claims.get(`${namespace}/${name}`) !== undefined) return;
  const labels = { ...template.metadata?.labels, ...set.spec?.selector.matchLabels };
  await tolerating(
    'already-exists',
    client.create(
      kinds.persistentVolumeClaims,
      { metadata: { namespace, name, labels }, spec: template.spec ?? {} },
      { signal: turn.signal },
    ),
  );
}

async function writeStatus(set: StatefulSet, pods: readonly WorkloadPod[], revision: string, turn: WorkloadTurn): Promise<Outcome> {
  const ready = pods.filter(({ isReady, isDeleting }) => isReady && !isDeleting);
  const updated = pods.filter(({ labels }) => labels[revisionLabel] === revision);
  const isUpdated = updated.length === pods.length && pods.length === (set.spec?.replicas ?? 1);
  const currentRevision = isUpdated ? revision : (set.status?.currentRevision ?? revision);
  const status: StatefulSetStatus = {
    observedGeneration: set.metadata?.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.length,
    updatedReplicas: updated.length,
    currentReplicas: pods.filter(({ labels }) => labels[revisionLabel] === currentRevision).length,
    currentRevision,
    updateRevision: revision,
  };
  await turn.writeStatus(status);
  return done;
}

const ordinalOf = ({ name }: WorkloadPod): number => Number(name.slice(name.lastIndexOf('-') + 1));

/** The pod with its own hostname, and with its claims in place of volumes of the same name. */
function withClaims(pod: Pod, templates: readonly PersistentVolumeClaim[], subdomain: string | undefined): Pod {
  const claimed = templates.map(({ metadata }) => ({
    name: metadata?.name ?? '',
    persistentVolumeClaim: { claimName: `${metadata?.name}-${pod.metadata?.name}` },
  }));
  const names = new Set(claimed.map(({ name }) => name));
  const volumes = [...(pod.spec?.volumes ?? []).filter(({ name }) => !names.has(name)), ...claimed];
  const spec = { ...pod.spec, containers: pod.spec?.containers ?? [], hostname: pod.metadata?.name ?? '', volumes };
  return { ...pod, spec: subdomain === undefined ? spec : { ...spec, subdomain } };
}
