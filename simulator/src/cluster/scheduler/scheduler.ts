import { again, Controller, done, type Outcome, sourceOf } from '@quartermaster/controller';
import { type Clock, type Log, type Random, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import {
  type Cache,
  isFailure,
  type KubeClient,
  type KubeObject,
  kinds,
  type ObjectKeyText,
  parseKey,
  startCache,
} from '@quartermaster/kube';
import { type ClusterEvents, noEvents, startClusterEvents } from '../client/cluster-events.ts';
import { type ClusterPods, startClusterPods } from '../pods/cluster-pods.ts';
import type { WorkloadPod } from '../pods/workload-pod.ts';
import { ClusterState } from './cluster-state.ts';
import { type NodeView, nodeViewFields, viewNode } from './node-room.ts';
import { place } from './place.ts';
import { selectedNodeAnnotation, type VolumeCaches, viewClaim, viewClass, viewVolume, volumeRules } from './volume-rules.ts';

export interface SchedulerOptions {
  /** Stays open when the scheduler stops. */
  readonly client: KubeClient;
  /** The pods, where another part of the cluster watches them already. Its own watch unless given. */
  readonly pods?: ClusterPods | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
  /** Bindings on their way at the same time. */
  readonly workers?: number | undefined;
  /** Whether it tells people where pods go and why not, as Kubernetes Events. Default true. */
  readonly events?: boolean | undefined;
}

interface Binding extends KubeObject {
  readonly target: { readonly apiVersion: string; readonly kind: string; readonly name: string };
}

/** After something became free, pods that fitted nowhere are looked at again once this has passed, so that many changes are one look. */
const retryAfterMs = 250;

/**
 * Binds pending pods to nodes. Decisions are pure (`place`) and made one after the other on a state that counts each decision at once;
 * only the bindings themselves are sent in parallel. A pod that fits nowhere is told so in its PodScheduled condition and waits until a
 * node changes or a pod goes.
 */
export class Scheduler {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #events: ClusterEvents;
  readonly #pods: ClusterPods;
  readonly #ownsPods: boolean;
  readonly #nodes: Cache<NodeView>;
  readonly #volumes: { readonly [K in keyof VolumeCaches]: VolumeCaches[K] & { stop(): Promise<void> } };
  readonly #state = new ClusterState();
  readonly #controller: Controller;
  readonly #waiting = new Set<ObjectKeyText>(); // pods that fitted nowhere
  #cancelRetry: (() => void) | undefined;
  #turn = 0;

  constructor(options: SchedulerOptions) {
    const { client, clock = systemClock, random = systemRandom, log = silentLog } = options;
    const context = { clock, random, log };
    this.#client = client;
    this.#clock = clock;
    this.#events = options.events === false ? noEvents : startClusterEvents({ client, component: 'simulated-scheduler', ...context });
    this.#pods = options.pods ?? startClusterPods(client, context);
    this.#ownsPods = options.pods === undefined;
    this.#nodes = startCache(client, { type: kinds.nodes, fields: nodeViewFields, project: viewNode, ...context });
    this.#volumes = {
      claims: startCache(client, { type: kinds.persistentVolumeClaims, project: viewClaim, ...context }),
      volumes: startCache(client, { type: kinds.persistentVolumes, project: viewVolume, ...context }),
      classes: startCache(client, { type: kinds.storageClasses, project: viewClass, ...context }),
    };
    this.#controller = new Controller({
      reconciler: { name: 'simulated-scheduler', reconcile: (key, signal) => this.#schedule(key, signal) },
      sources: [
        sourceOf(this.#pods, ({ key, value }) => (value.isPending ? [key] : [])),
        sourceOf(this.#nodes, () => []),
        sourceOf(this.#volumes.claims, () => []),
        sourceOf(this.#volumes.volumes, () => []),
        sourceOf(this.#volumes.classes, () => []),
      ],
      workers: options.workers ?? 16,
      ...context,
    });
    this.#listen();
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#controller.run(signal);
    } finally {
      this.#cancelRetry?.();
      await this.#events.stop();
      const caches = [this.#nodes, this.#volumes.claims, this.#volumes.volumes, this.#volumes.classes];
      await Promise.all(caches.map((cache) => cache.stop()));
      if (this.#ownsPods) await this.#pods.stop();
    }
  }

  #listen(): void {
    this.#nodes.subscribe({
      added: ({ value }) => this.#nodeChanged(value),
      updated: ({ value }) => this.#nodeChanged(value),
      deleted: ({ value }) => this.#state.removeNode(value.name),
    });
    this.#pods.subscribe({
      added: ({ key, value }) => this.#state.putPod(key, value),
      updated: ({ key, value }, before) => {
        this.#state.putPod(key, value);
        if (before.value.counts && !value.counts) this.#retrySoon();
      },
      deleted: ({ key, value }) => {
        this.#state.removePod(key);
        this.#waiting.delete(key);
        if (value.counts) this.#retrySoon();
      },
    });
    const retry = { added: () => this.#retrySoon(), updated: () => this.#retrySoon() };
    this.#volumes.claims.subscribe(retry);
    this.#volumes.classes.subscribe(retry);
  }

  #nodeChanged(view: NodeView): void {
    this.#state.putNode(view);
    this.#retrySoon();
  }

  #retrySoon(): void {
    if (this.#waiting.size === 0 || this.#cancelRetry !== undefined) return;
    this.#cancelRetry = this.#clock.schedule(retryAfterMs, () => {
      this.#cancelRetry = undefined;
      const keys = [...this.#waiting];
      this.#waiting.clear();
      for (const key of keys) this.#controller.enqueue(key);
    });
  }

  async #schedule(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const entry = this.#pods.get(key);
    if (entry === undefined || !entry.value.isPending || this.#state.isAssumed(key)) return done;
    const pod = entry.value;
    const volumes = volumeRules(pod, this.#volumes);
    if (volumes.kind === 'refused')
      return await this.#refuse(key, pod, `0/${this.#state.rooms.length} nodes are available: ${volumes.message}.`, signal);
    this.#turn += 1;
    const placement = place(pod, this.#state.rooms, { startAt: this.#turn, alsoRefuses: volumes.refuses });
    if (placement.kind === 'nowhere') return await this.#refuse(key, pod, placement.message, signal);
    if (volumes.waiting.length > 0) {
      for (const name of volumes.waiting) await this.#selectNode(pod.namespace, name, placement.node, signal);
      return again(200);
    }
    this.#state.assume(key, pod, placement.node);
    try {
      await this.#bind(key, entry.uid, placement.node, signal);
    } catch (error) {
      this.#state.removePod(key);
      if (isFailure(error, 'not-found')) return done;
      throw error;
    }
    const note = `Assigned ${key} to node ${placement.node}`;
    this.#events.tell(kinds.pods, { ...parseKey(key), uid: entry.uid }, 'Normal', { reason: 'Scheduled', action: 'Binding', note });
    return done;
  }

  async #bind(key: ObjectKeyText, uid: string, node: string, signal: AbortSignal): Promise<void> {
    const ref = parseKey(key);
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const binding: Binding = { apiVersion: 'v1', kind: 'Binding', metadata: { ...ref, uid }, target };
    await this.#client.createSubresource(kinds.pods, ref, 'binding', binding, { signal });
  }

  async #selectNode(namespace: string, name: string, node: string, signal: AbortSignal): Promise<void> {
    const body = { metadata: { annotations: { [selectedNodeAnnotation]: node } } };
    await this.#client.patch(kinds.persistentVolumeClaims, { namespace, name }, { kind: 'merge', body }, { signal });
  }

  async #refuse(key: ObjectKeyText, pod: WorkloadPod, message: string, signal: AbortSignal): Promise<Outcome> {
    this.#waiting.add(key);
    if (pod.refusal === message) return done;
    const subject = { ...parseKey(key), uid: this.#pods.get(key)?.uid };
    this.#events.tell(kinds.pods, subject, 'Warning', { reason: 'FailedScheduling', action: 'Scheduling', note: message });
    const lastTransitionTime = `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`;
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime };
    const body = { status: { conditions: [condition] } };
    try {
      // Strategic: other conditions of the pod stay.
      await this.#client.patch(kinds.pods, parseKey(key), { kind: 'strategic', body }, { subresource: 'status', signal });
    } catch (error) {
      if (!isFailure(error, 'not-found')) throw error;
    }
    return done;
  }
}
