import { done, type Outcome } from '@quartermaster/controller';
import { kinds } from '@quartermaster/kube';
import type { DaemonSet, DaemonSetStatus, Pod, Toleration } from '@quartermaster/kube/shapes';
import { isActive, type WorkloadPod } from '../pods/workload-pod.ts';
import { isTolerated, matchesNodeRules } from '../scheduler/fit.ts';
import { viewNode } from '../scheduler/node-room.ts';
import type { ControlledNode } from './controller-context.ts';
import { podOf } from './pod-control.ts';
import { amount } from './rolling-update.ts';
import { templateHash } from './template-hash.ts';
import type { Workload, WorkloadTurn } from './workload-reconciler.ts';

const revisionLabel = 'controller-revision-hash';

/** Daemons stay through what drives other pods away. */
const daemonTolerations: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

/** Keeps one pod on every node that a DaemonSet's template can run on. */
export const daemonSetWorkload: Workload<DaemonSet> = {
  name: 'simulated-daemon-set',
  type: kinds.daemonSets,
  cacheOf: (caches) => caches.daemonSets,
  keep: keepDaemonSet,
};

async function keepDaemonSet(set: DaemonSet, turn: WorkloadTurn): Promise<Outcome> {
  const { pods, unseen } = turn;
  const hash = templateHash(set.spec?.template);
  const wanted = new Set<string>();
  for (const { key: name, value } of turn.caches.nodes.entries()) if (belongsOn(set, value)) wanted.add(name);
  const byNode = Map.groupBy(pods, targetOf); // node -> pods
  if (unseen.length === 0) {
    const missing = [...wanted].filter((node) => byNode.get(node) === undefined);
    await turn.create(missing.map((node) => daemonPod(set, node, hash)));
    const surplus = [...byNode].flatMap(([node, here]) => (wanted.has(node) ? here.filter(isActive).slice(1) : here.filter(isActive)));
    const over = pods.filter(({ phase, isDeleting }) => !isDeleting && (phase === 'Failed' || phase === 'Succeeded'));
    await turn.delete([...surplus, ...over]);
    await update(set, pods, wanted.size, hash, turn);
  }
  await writeStatus(set, pods, wanted, hash, turn);
  return done;
}

async function update(set: DaemonSet, pods: readonly WorkloadPod[], nodes: number, hash: string, turn: WorkloadTurn): Promise<void> {
  const { rollingUpdate } = set.spec?.updateStrategy ?? {};
  const old = pods.filter((pod) => isActive(pod) && pod.labels[revisionLabel] !== hash);
  const missing = nodes - pods.filter((pod) => isActive(pod) && pod.isReady).length;
  const room = amount(rollingUpdate?.maxUnavailable ?? 1, nodes, Math.ceil) - missing;
  const broken = old.filter(({ isReady }) => !isReady);
  const fine = old.filter(({ isReady }) => isReady).slice(0, Math.max(room, 0));
  await turn.delete([...broken, ...fine]);
}

async function writeStatus(
  set: DaemonSet,
  pods: readonly WorkloadPod[],
  wanted: ReadonlySet<string>,
  hash: string,
  turn: WorkloadTurn,
): Promise<void> {
  const here = pods.filter((pod) => isActive(pod) && wanted.has(targetOf(pod)));
  const ready = here.filter(({ isReady }) => isReady).length;
  const status: DaemonSetStatus = {
    observedGeneration: set.metadata?.generation ?? 0,
    desiredNumberScheduled: wanted.size,
    currentNumberScheduled: here.length,
    numberMisscheduled: pods.filter((pod) => isActive(pod) && !wanted.has(targetOf(pod))).length,
    updatedNumberScheduled: here.filter(({ labels }) => labels[revisionLabel] === hash).length,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: wanted.size - ready,
  };
  await turn.writeStatus(status);
}

/** The node that the pod was made for, also before it is bound. */
const targetOf = ({ pinnedTo, nodeName }: WorkloadPod): string => (nodeName === '' ? (pinnedTo ?? '') : nodeName);

function belongsOn(set: DaemonSet, node: ControlledNode): boolean {
  const { nodeSelector = {}, affinity, tolerations = [] } = set.spec?.template.spec ?? {};
  const view = viewNode(node);
  return (
    matchesNodeRules({ nodeSelector, affinity }, view) &&
    view.taints.every((taint) => taint.effect === 'PreferNoSchedule' || isTolerated(taint, [...tolerations, ...daemonTolerations]))
  );
}

/** The scheduler binds it like any pod; the affinity leaves it one node. */
function daemonPod(set: DaemonSet, node: string, hash: string): Pod {
  const { namespace = '', name = '' } = set.metadata ?? {};
  const pod = podOf(namespace, { generateName: `${name}-` }, set.spec?.template, { [revisionLabel]: hash });
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
    },
  };
  const spec = {
    ...pod.spec,
    containers: pod.spec?.containers ?? [],
    affinity: { ...pod.spec?.affinity, nodeAffinity },
    tolerations: [...(pod.spec?.tolerations ?? []), ...daemonTolerations],
  };
  return { ...pod, spec };
}
