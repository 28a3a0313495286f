import { Controller, type Reconciler, type Source, sourceOf } from '@quartermaster/controller';
import { type Clock, type Log, type Random, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import { type ClusterEvents, noEvents, startClusterEvents } from '../client/cluster-events.ts';
import { type ClusterPods, startClusterPods } from '../pods/cluster-pods.ts';
import { type ControllerCaches, type ControllerContext, startControllerCaches, stopControllerCaches } from './controller-context.ts';
import { daemonSetWorkload } from './daemon-set.ts';
import { deploymentReconciler } from './deployment.ts';
import { endpointSliceReconciler, servicesSelecting } from './endpoint-slice.ts';
import { eventExpiryReconciler } from './event-expiry.ts';
import { goneIsDone } from './gone-is-done.ts';
import { NodeLifecycleReconciler } from './node-lifecycle.ts';
import { replicaSetWorkload } from './replica-set.ts';
import { serviceAccountReconciler } from './service-account.ts';
import { type ServiceAddressOptions, serviceAddressReconciler } from './service-address.ts';
import { statefulSetWorkload } from './stateful-set.ts';
import { volumeBindingReconciler, volumeReclaimReconciler } from './volume-binding.ts';
import { WorkloadReconciler } from './workload-reconciler.ts';

export interface ClusterControllersOptions {
  /** Stays open when the controllers stop. */
  readonly client: KubeClient;
  /** The pods, where another part of the cluster watches them already. Its own watch unless given. */
  readonly pods?: ClusterPods | undefined;
  /** A node that is not heard for this long counts as lost. Default 50 s, as Kubernetes has it. */
  readonly nodeGraceMs?: number | undefined;
  readonly addresses?: ServiceAddressOptions | undefined;
  readonly workers?: number | undefined;
  /** Whether they tell people what they do, as Kubernetes Events. Default true. */
  readonly events?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
}

/** The controllers of a simulated cluster, for where no controller manager runs: never together with one. */
export class ClusterControllers {
  readonly #pods: ClusterPods;
  readonly #ownsPods: boolean;
  readonly #caches: ControllerCaches;
  readonly #events: ClusterEvents;
  readonly #controllers: readonly Controller[];

  constructor(options: ClusterControllersOptions) {
    const { client, clock = systemClock, random = systemRandom, log = silentLog, workers = 8 } = options;
    this.#pods = options.pods ?? startClusterPods(client, { clock, random, log });
    this.#ownsPods = options.pods === undefined;
    this.#caches = startControllerCaches(client, this.#pods, { clock, random, log });
    this.#events =
      options.events === false ? noEvents : startClusterEvents({ client, component: 'simulated-controllers', clock, random, log });
    const context: ControllerContext = { client, caches: this.#caches, events: this.#events, clock, random, log };
    const controller = (reconciler: Reconciler, ...sources: Source[]): Controller =>
      new Controller({ reconciler: goneIsDone(reconciler), sources, workers, clock, random, log });
    this.#controllers = [...workloads(context, controller), ...others(context, controller, options)];
  }

  /** Works until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await Promise.all(this.#controllers.map((controller) => controller.run(signal)));
    } finally {
      await this.#events.stop();
      await stopControllerCaches(this.#caches);
      if (this.#ownsPods) await this.#pods.stop();
    }
  }
}

const leasePrefix = 'kube-node-lease/';

type MakeController = (reconciler: Reconciler, ...sources: Source[]) => Controller;

function workloads(context: ControllerContext, controller: MakeController): Controller[] {
  const { caches } = context;
  const podsOf = (kind: string): Source =>
    sourceOf(caches.pods, ({ value }) => (value.ownerKind === kind && value.ownerKey !== undefined ? [value.ownerKey] : []));
  const ownersOfSets = sourceOf(caches.replicaSets, ({ value }) =>
    (value.metadata?.ownerReferences ?? []).map(({ name }) => `${value.metadata?.namespace}/${name}`),
  );
  const allDaemonSets = (): string[] => [...caches.daemonSets.entries()].map(({ key }) => key);
  return [
    controller(deploymentReconciler(context), sourceOf(caches.deployments), ownersOfSets),
    controller(new WorkloadReconciler(context, replicaSetWorkload), sourceOf(caches.replicaSets), podsOf('ReplicaSet')),
    controller(
      new WorkloadReconciler(context, statefulSetWorkload),
      sourceOf(caches.statefulSets),
      podsOf('StatefulSet'),
      sourceOf(caches.claims, () => []),
    ),
    controller(
      new WorkloadReconciler(context, daemonSetWorkload),
      sourceOf(caches.daemonSets),
      podsOf('DaemonSet'),
      sourceOf(caches.nodes, allDaemonSets),
    ),
  ];
}

function others(context: ControllerContext, controller: MakeController, options: ClusterControllersOptions): Controller[] {
  const { caches } = context;
  const addresses = serviceAddressReconciler(context, options.addresses);
  const services = (namespace: string) => caches.services.byIndex('namespace', namespace).map(({ value }) => value);
  const unbound = (): string[] =>
    [...caches.claims.entries()].flatMap(({ key, value }) => ((value.spec?.volumeName ?? '') === '' ? [key] : []));
  const claimOf = sourceOf(caches.volumes, ({ value: { spec } }) => {
    const claim = spec?.claimRef;
    return claim === undefined ? unbound() : [`${claim.namespace}/${claim.name}`];
  });
  return [
    controller(
      endpointSliceReconciler(context),
      sourceOf(caches.services),
      sourceOf(caches.pods, ({ value }) => servicesSelecting(services(value.namespace), value.labels)),
      sourceOf(caches.endpointSlices, ({ value: { metadata } }) => [
        `${metadata?.namespace}/${metadata?.labels?.['kubernetes.io/service-name']}`,
      ]),
    ),
    controller(
      addresses,
      sourceOf(caches.services),
      sourceOf(caches.services, () => addresses.waiting()),
    ),
    controller(volumeBindingReconciler(context), sourceOf(caches.claims), claimOf, sourceOf(caches.classes, unbound)),
    controller(
      volumeReclaimReconciler(context),
      sourceOf(caches.volumes),
      sourceOf(caches.claims, ({ value: { spec } }) => ((spec?.volumeName ?? '') === '' ? [] : [spec?.volumeName ?? ''])),
    ),
    controller(
      new NodeLifecycleReconciler(context, options.nodeGraceMs ?? 50_000),
      sourceOf(caches.nodes),
      sourceOf(caches.leases, ({ key }) => (key.startsWith(leasePrefix) ? [key.slice(leasePrefix.length)] : [])),
      // A pod that comes to a node which drives pods away has to leave it again; one whose node is gone, too.
      sourceOf(caches.pods, ({ value: { nodeName } }) => {
        if (nodeName === '') return [];
        const found = caches.nodes.get(nodeName)?.value;
        return found === undefined || found.spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true ? [nodeName] : [];
      }),
    ),
    controller(serviceAccountReconciler(context), sourceOf(caches.namespaces)),
    controller(eventExpiryReconciler(context), sourceOf(caches.events)),
  ];
}
