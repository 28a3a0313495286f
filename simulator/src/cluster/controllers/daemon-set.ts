import { done, jsonEqual, type Outcome, type Reconciler } from '@quartermaster/controller';
import { kinds, type ObjectKeyText } from '@quartermaster/kube';
import type { DaemonSet, DaemonSetStatus } from 'kubernetes-types/apps/v1.js';
import type { Node, Pod, Toleration } from 'kubernetes-types/core/v1.js';
import { isTolerated, matchesNodeRules } from '../scheduler/fit.ts';
import { viewNode } from '../scheduler/node-room.ts';
import type { ControllerContext } from './controller-context.ts';
import { PodControl, podOf } from './pod-control.ts';
import { amount } from './rolling-update.ts';
import { templateHash } from './template-hash.ts';
import { isActive, type WorkloadPod } from './workload-pod.ts';

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
export class DaemonSetReconciler implements Reconciler {
  readonly name = 'simulated-daemon-set';
  readonly #context: ControllerContext;
  readonly #pods: PodControl;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#pods = new PodControl(context);
  }

  async reconcile(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const { caches } = this.#context;
    const set = caches.daemonSets.get(key)?.value;
    if (set === undefined || set.metadata?.deletionTimestamp !== undefined) return done;
    const { pods, unseen } = this.#pods.podsOf(set.metadata?.uid ?? '');
    const hash = templateHash(set.spec?.template);
    const wanted = new Set<string>();
    for (const { key: name, value } of caches.nodes.entries()) if (belongsOn(set, value)) wanted.add(name);
    const byNode = Map.groupBy(pods, targetOf); // node -> pods
    if (unseen.length === 0) {
      const missing = [...wanted].filter((node) => byNode.get(node) === undefined);
      await this.#pods.create(
        kinds.daemonSets,
        set,
        missing.map((node) => daemonPod(set, node, hash)),
        signal,
      );
      const surplus = [...byNode].flatMap(([node, here]) => (wanted.has(node) ? here.filter(isActive).slice(1) : here.filter(isActive)));
      const over = pods.filter(({ phase, isDeleting }) => !isDeleting && (phase === 'Failed' || phase === 'Succeeded'));
      await this.#pods.delete(kinds.daemonSets, set, [...surplus, ...over], signal);
      await this.#update(set, pods, wanted.size, hash, signal);
    }
    await this.#writeStatus(set, pods, wanted, hash, signal);
    return done;
  }

  async #update(set: DaemonSet, pods: readonly WorkloadPod[], nodes: number, hash: string, signal: AbortSignal): Promise<void> {
    const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
    if (type === 'OnDelete') return;
    const old = pods.filter((pod) => isActive(pod) && pod.labels[revisionLabel] !== hash);
    const missing = nodes - pods.filter((pod) => isActive(pod) && pod.isReady).length;
    const room = amount(rollingUpdate?.maxUnavailable ?? 1, nodes, Math.ceil) - missing;
    const broken = old.filter(({ isReady }) => !isReady);
    const fine = old.filter(({ isReady }) => isReady).slice(0, Math.max(room, 0));
    await this.#pods.delete(kinds.daemonSets, set, [...broken, ...fine], signal);
  }

  async #writeStatus(
    set: DaemonSet,
    pods: readonly WorkloadPod[],
    wanted: ReadonlySet<string>,
    hash: string,
    signal: AbortSignal,
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
    if (jsonEqual({ ...emptyStatus, ...set.status }, status)) return;
    const { namespace, name = '' } = set.metadata ?? {};
    await this.#context.client.patch(
      kinds.daemonSets,
      { namespace, name },
      { kind: 'merge', body: { status } },
      { subresource: 'status', signal },
    );
  }
}

const emptyStatus = { updatedNumberScheduled: 0, numberAvailable: 0, numberUnavailable: 0 };

/** The node that the pod was made for, also before it is bound. */
const targetOf = ({ pinnedTo, node }: WorkloadPod): string => (node === '' ? (pinnedTo ?? '') : node);

function belongsOn(set: DaemonSet, node: Node): boolean {
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
