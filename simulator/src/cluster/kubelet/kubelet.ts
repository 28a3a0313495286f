import { Controller, done, type Notice, type NoticeType, type Outcome, sourceOf } from '@quartermaster/controller';
import { type BackoffOptions, type Clock, type Log, type Random, StatusError } from '@quartermaster/kernel';
import {
  type CacheEntry,
  isFailure,
  type KubeClient,
  keyText,
  kinds,
  type ObjectKeyText,
  type ObjectRef,
  parseKey,
  type ReadableCache,
} from '@quartermaster/kube';
import type { ClusterEvents } from '../client/cluster-events.ts';
import { tolerating } from '../client/tolerating.ts';
import type { SimulatedNode } from '../node/simulated-node.ts';
import { type ActivePod, activePod, fingerprint, isTerminalPhase, type KubeletPod, projectPod } from '../pods/kubelet-pod.ts';
import type { ReadData } from './container-env.ts';
import type { ImageRegistry } from './image-registry.ts';
import { PodRun } from './pod-run.ts';

export interface KubeletOptions {
  readonly client: KubeClient;
  /** Indexed by `node`. Must tell of the images' programs that need care. */
  readonly pods: ReadableCache<KubeletPod>;
  readonly nodes: ReadonlyMap<string, SimulatedNode>; // name -> node
  readonly images: ImageRegistry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** How long a pod stays in ContainerCreating. 0 leaves that state out and saves a write. */
  readonly startMs: number;
  readonly restartBackoff: BackoffOptions;
  /** Gets what people should know of pods. */
  readonly events: ClusterEvents;
  /** Status writes at the same time. */
  readonly workers: number;
}

/**
 * The kubelets of all simulated nodes in one, with work only for pods of its nodes that have any. What a pod
 * does is in `PodRun`; this reports it, and ends what was deleted. Pods of nodes that it does not know are left alone.
 */
export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #pods: ReadableCache<KubeletPod>;
  readonly #controller: Controller;
  readonly #runs = new Map<ObjectKeyText, PodRun>(); // pod -> what runs of it here
  readonly #pinned = new Set<ObjectKeyText>(); // pods whose run somebody has asked for

  constructor(options: KubeletOptions) {
    const { clock, random, log } = options;
    this.#options = options;
    this.#pods = options.pods;
    this.#controller = new Controller({
      reconciler: { name: 'simulated-kubelet', reconcile: (key, signal) => this.#reconcile(key, signal) },
      sources: [sourceOf(this.#pods, ({ key, value }) => (value.active === undefined && !this.#runs.has(key) ? [] : [key]))],
      workers: options.workers,
      clock,
      random,
      log,
    });
  }

  /** Works until the signal aborts. Containers end with it, and are taken up again by the next kubelet. */
  async run(signal: AbortSignal): Promise<void> {
    const keepAddresses = this.#pods.subscribe({
      added: ({ value }) => {
        if (value.podIp !== undefined) this.#options.nodes.get(value.nodeName)?.keepAddress(value.podIp);
      },
      deleted: ({ value }) => {
        if (value.podIp !== undefined) this.#options.nodes.get(value.nodeName)?.releaseAddress(value.podIp);
      },
    });
    const assignDevices = followDevices(this.#pods, this.#options.nodes);
    try {
      await this.#controller.run(signal);
    } finally {
      keepAddresses();
      assignDevices();
      for (const run of this.#runs.values()) run.stop(0);
    }
  }

  /** Looks at every pod of a node again, after the node was lost or has returned. */
  revisit(nodeName: string): void {
    for (const { key } of this.#pods.byIndex('node', nodeName)) this.#controller.enqueue(key);
  }

  /** Kills the containers of a pod that runs here, as a crash would. Throws `not_found` when it does not. */
  async failPod(ref: ObjectRef, exitCode: number): Promise<void> {
    const run = await this.runOf(ref);
    run.fail(exitCode);
  }

  /**
   * The run of a pod on one of our nodes, also of one that needed none so far. Throws `not_found` for a pod that is not here and
   * `unavailable` when its node is lost.
   */
  async runOf(ref: ObjectRef): Promise<PodRun> {
    const key = keyText(ref);
    const known = this.#runs.get(key);
    const node = this.#options.nodes.get(this.#pods.get(key)?.value.nodeName ?? '');
    if (node === undefined) throw new StatusError('not_found', `pod ${key} is not on a node of this kubelet`);
    if (node.isLost) throw new StatusError('unavailable', `node ${node.name} of pod ${key} is lost`);
    if (known !== undefined) return known;
    const pod = await this.#options.client.get(kinds.pods, ref);
    this.#pinned.add(key);
    return this.#runs.get(key) ?? this.#begin(key, { ...projectPod(pod, () => true), active: activePod(pod) }, node);
  }

  /** The run of the pod that listens on a port of an address. Throws as `runOf` does. */
  async runAt(address: string, port: number): Promise<PodRun> {
    const nodes = [...this.#options.nodes.values()].filter((node) => node.address === address || node.hasPodAddress(address));
    const pods = nodes.flatMap(({ name }) => this.#pods.byIndex('node', name)).filter(({ value }) => value.podIp === address);
    for (const { key } of pods) {
      const run = await this.runOf(parseKey(key));
      // Pods in the network of their node share its address.
      if (pods.length === 1 || run.listenerOn(port) !== undefined) return run;
    }
    throw new StatusError('not_found', `no pod of these simulated nodes has the address ${address} and listens on port ${port}`);
  }

  async #reconcile(key: ObjectKeyText, signal: AbortSignal): Promise<Outcome> {
    const entry = this.#pods.get(key);
    const run = this.#runs.get(key);
    if (run !== undefined && run.uid !== entry?.uid) this.#forget(key, run);
    const node = this.#options.nodes.get(entry?.value.nodeName ?? '');
    if (entry === undefined || node === undefined || node.isLost) return done;
    const { active, phase } = entry.value;
    if (active?.isDeleting === true) return await this.#end(key, active, signal);
    if (isTerminalPhase(phase)) return done;
    if (active === undefined && run === undefined) return done;
    const current = this.#runs.get(key) ?? this.#begin(key, entry.value, node);
    if (current === undefined) return done;
    if (fingerprint(current.status()) !== entry.value.fingerprint) await this.#report(key, current, signal);
    // What needs no care any more is not kept: there may be many thousands of such pods.
    else if (active === undefined && !this.#pinned.has(key)) this.#runs.delete(key);
    return done;
  }

  #begin(key: ObjectKeyText, pod: KubeletPod & { readonly active: ActivePod }, node: SimulatedNode): PodRun;
  #begin(key: ObjectKeyText, pod: KubeletPod, node: SimulatedNode): PodRun | undefined;
  #begin(key: ObjectKeyText, { active, phase, podIp: known }: KubeletPod, node: SimulatedNode): PodRun | undefined {
    if (active === undefined) return undefined;
    const { images, clock, random, startMs, restartBackoff, events } = this.#options;
    const podIp = active.hostNetwork ? node.address : (known ?? node.takeAddress());
    const changed = (): void => this.#controller.enqueue(key);
    const tell = (type: NoticeType, notice: Notice): void => events.tell(kinds.pods, active, type, notice);
    const readData = dataReader(this.#options.client, active.namespace);
    const run = new PodRun(active, { node, images, clock, random, startMs, restartBackoff, podIp, readData, changed, tell });
    this.#runs.set(key, run);
    if (!isTerminalPhase(phase)) run.start({ adopt: phase === 'Running' });
    return run;
  }

  #forget(key: ObjectKeyText, run: PodRun): void {
    run.stop(0);
    this.#runs.delete(key);
    this.#pinned.delete(key);
  }

  async #report(key: ObjectKeyText, run: PodRun, signal: AbortSignal): Promise<void> {
    // The uid makes the server refuse a status that belongs to an earlier pod of the same name.
    const body = { metadata: { uid: run.uid }, status: run.status() };
    try {
      await this.#options.client.patch(kinds.pods, parseKey(key), { kind: 'merge', body }, { subresource: 'status', signal });
    } catch (error) {
      if (!isFailure(error, 'not-found')) throw error;
    }
  }

  async #end(key: ObjectKeyText, pod: ActivePod, signal: AbortSignal): Promise<Outcome> {
    const run = this.#runs.get(key);
    if (run?.isStopping !== true) this.#tellKilling(pod);
    if (run !== undefined && !run.isStopped) {
      run.stop(pod.graceMs);
      if (!run.isStopped) return done;
    }
    await tolerating(
      'conflict',
      this.#options.client.delete(kinds.pods, parseKey(key), { gracePeriodSeconds: 0, preconditions: { uid: pod.uid }, signal }),
    );
    this.#runs.delete(key);
    this.#pinned.delete(key);
    return done;
  }

  #tellKilling(pod: ActivePod): void {
    for (const { name } of pod.containers) {
      const notice = { reason: 'Killing', action: 'Stop', note: `Stopping container ${name}` };
      this.#options.events.tell(kinds.pods, pod, 'Normal', notice);
    }
  }
}

/** What cannot be read is empty: a container starts all the same. */
function dataReader(client: KubeClient, namespace: string): ReadData {
  return async (kind, name) => {
    const ref = { namespace, name };
    try {
      if (kind === 'configMap') return (await client.get(kinds.configMaps, ref)).data ?? {};
      const { data = {} } = await client.get(kinds.secrets, ref);
      return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));
    } catch {
      return {};
    }
  };
}

/** Gives the nodes' devices to the pods that ask for them, and takes them back when those are over. Returns how to end it. */
function followDevices(pods: ReadableCache<KubeletPod>, nodes: ReadonlyMap<string, SimulatedNode>): () => void {
  const look = ({ key, uid, value: { nodeName, phase, devices: requests } }: CacheEntry<KubeletPod>): void => {
    if (requests === undefined) return;
    const devices = nodes.get(nodeName)?.devices;
    const { namespace = '', name } = parseKey(key);
    if (isTerminalPhase(phase)) devices?.release(uid);
    else devices?.admit(uid, { namespace, name, requests });
  };
  return pods.subscribe({
    added: look,
    updated: look,
    deleted: ({ uid, value }) => {
      if (value.devices !== undefined) nodes.get(value.nodeName)?.devices.release(uid);
    },
  });
}
