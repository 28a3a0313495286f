import {
  type BackoffOptions,
  type Clock,
  type Log,
  type Random,
  StatusError,
  silentLog,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import { type Cache, type KubeClient, kinds, type ObjectRef, startCache } from '@quartermaster/kube';
import { type ClusterEvents, noEvents, startClusterEvents } from './client/cluster-events.ts';
import { ImageRegistry } from './kubelet/image-registry.ts';
import { Kubelet } from './kubelet/kubelet.ts';
import { Heartbeats } from './node/heartbeats.ts';
import { kubeletPortOf, NodeRegistration } from './node/node-registration.ts';
import { type NodeSpec, SimulatedNode } from './node/simulated-node.ts';
import { type ClusterPods, startClusterPods } from './pods/cluster-pods.ts';
import { KubeletServer, type KubeletServerOptions } from './streams/kubelet-server.ts';

export interface NodePoolOptions {
  /** Stays open when the pool stops. */
  readonly client: KubeClient;
  readonly nodes: readonly NodeSpec[];
  readonly images?: ImageRegistry | undefined;
  /** Where logs and exec are served; without it, the nodes name no kubelet endpoint. */
  readonly server?: KubeletServerOptions | undefined;
  readonly leaseIntervalMs?: number | undefined;
  readonly statusIntervalMs?: number | undefined;
  readonly podStartMs?: number | undefined;
  readonly restartBackoff?: BackoffOptions | undefined;
  readonly workers?: number | undefined;
  /** Whether the kubelets tell people what they do, as Kubernetes Events. Default true. */
  readonly events?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
}

const kubernetesBackoff: BackoffOptions = { firstMs: 10_000, maxMs: 300_000, factor: 2 };

/** Many simulated nodes, played by one client over one watch of pods. */
export class NodePool {
  readonly images: ImageRegistry;
  /** All pods, also those on other nodes, for other parts of the cluster to share; readable until the pool is stopped. */
  readonly pods: ClusterPods;
  readonly #nodes: ReadonlyMap<string, SimulatedNode>; // name -> node
  readonly #client: KubeClient;
  readonly #events: ClusterEvents;
  readonly #kubelet: Kubelet;
  readonly #heartbeats: Heartbeats;
  readonly #registration: NodeRegistration;
  readonly #server: KubeletServer | undefined;
  readonly #seen: Cache<string | undefined>; // node -> the status of its Ready condition, as the server has it
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  private constructor(options: NodePoolOptions) {
    const { client, clock = systemClock, random = systemRandom, log = silentLog } = options;
    this.#client = client;
    this.images = options.images ?? new ImageRegistry();
    this.#nodes = new Map(options.nodes.map((spec) => [spec.name, new SimulatedNode(spec, clock)]));
    this.#events = options.events === false ? noEvents : startClusterEvents({ client, component: 'simulated-kubelet', clock, random, log });
    this.pods = startClusterPods(client, { needsCare: (image) => this.images.has(image), clock, random, log });
    this.#kubelet = new Kubelet({
      client,
      pods: this.pods,
      events: this.#events,
      nodes: this.#nodes,
      images: this.images,
      clock,
      random,
      log,
      startMs: options.podStartMs ?? 300,
      restartBackoff: options.restartBackoff ?? kubernetesBackoff,
      workers: options.workers ?? 16,
    });
    this.#server = options.server === undefined ? undefined : new KubeletServer(this.#kubelet, this.images, { clock, ...options.server });
    this.#seen = startCache(client, {
      type: kinds.nodes,
      fields: { status: { conditions: { type: true, status: true } } },
      project: ({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status,
      clock,
      random,
      log,
    });
    this.#heartbeats = new Heartbeats(this.#nodes.values(), {
      client,
      clock,
      log,
      leaseIntervalMs: options.leaseIntervalMs ?? 10_000,
      statusIntervalMs: options.statusIntervalMs ?? 300_000,
      endpoint: () => this.#server?.endpoint,
      isCalledLost: ({ name }) => this.#seen.get(name)?.value === 'Unknown',
    });
    this.#registration = new NodeRegistration({ client, heartbeats: this.#heartbeats, endpoint: () => this.#server?.endpoint });
  }

  /** Registers every node, or takes up again those that are there, and resolves when all of them are. */
  static async start(options: NodePoolOptions): Promise<NodePool> {
    const pool = new NodePool(options);
    try {
      await pool.#begin();
    } catch (error) {
      await pool.stop();
      throw error;
    }
    return pool;
  }

  get nodes(): readonly SimulatedNode[] {
    return [...this.#nodes.values()];
  }

  /** Throws `not_found` with the names of a few that there are. */
  node(name: string): SimulatedNode {
    const found = this.#nodes.get(name);
    if (found !== undefined) return found;
    const some = [...this.#nodes.keys()].slice(0, 3).join(', ');
    throw new StatusError('not_found', `no simulated node "${name}": use one of the ${this.#nodes.size} that exist, such as ${some}`);
  }

  /** The node's machine stops: no heartbeats, no pod starts or ends, until `restoreNode`. */
  loseNode(name: string): void {
    this.node(name).isLost = true;
  }

  async restoreNode(name: string): Promise<void> {
    const node = this.node(name);
    node.isLost = false;
    await this.#heartbeats.renewLease(node);
    await this.#heartbeats.writeStatus(node);
    this.#kubelet.revisit(name);
  }

  /** Takes GPUs off the node's bus, the last ones first; returns their UUIDs. Throws `invalid_argument` when it has fewer. */
  async loseGpus(name: string, count = 1): Promise<readonly string[]> {
    const node = this.node(name);
    const { gpus } = node.spec.hardware;
    if (count > gpus.length) {
      throw new StatusError(
        'invalid_argument',
        `node ${name} has ${gpus.length} GPUs and cannot lose ${count}: name another node or count`,
      );
    }
    const lost = gpus.slice(gpus.length - count).map(({ uuid }) => uuid);
    for (const uuid of lost) node.loseGpu(uuid);
    await this.#heartbeats.writeStatus(node);
    return lost;
  }

  async restoreGpus(name: string): Promise<void> {
    const node = this.node(name);
    for (const { uuid } of node.spec.hardware.gpus) node.restoreGpu(uuid);
    await this.#heartbeats.writeStatus(node);
  }

  /** The driver of the node's first NVIDIA cards reports an error of them, until `resetGpus`. */
  reportXid(name: string, code: number, count = 1): void {
    const { spec, kernelLog } = this.node(name);
    const cards = spec.hardware.gpus.filter(({ vendor }) => vendor === 'nvidia');
    if (count > cards.length) {
      const message = `node ${name} has ${cards.length} NVIDIA GPUs, not ${count}: name another node or count`;
      throw new StatusError('invalid_argument', message);
    }
    for (const { pciAddress } of cards.slice(0, count)) kernelLog.xid(pciAddress, code);
  }

  resetGpus(name: string): void {
    const { spec, kernelLog } = this.node(name);
    for (const { pciAddress } of spec.hardware.gpus) kernelLog.fit(pciAddress);
  }

  /** From now on the node's stamps are this much ahead of the true time. */
  skewClock(name: string, skewMs: number): void {
    this.node(name).skewMs = skewMs;
  }

  /** Crashes the containers of a pod. */
  async failPod(pod: ObjectRef, exitCode = 1): Promise<void> {
    await this.#kubelet.failPod(pod, exitCode);
  }

  /** Ends everything that runs; the Node objects stay, and turn NotReady unless another pool takes them up. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the node pool is stopped'));
    await this.#running;
    await this.#events.stop();
    await Promise.all([this.pods.stop(), this.#seen.stop()]);
    await this.#server?.stop();
  }

  async #begin(): Promise<void> {
    const { signal } = this.#stop;
    const there = new Map((await this.#client.list(kinds.nodes, { signal })).items.map((node) => [node.metadata?.name, node]));
    const left = this.nodes.flatMap((node) => {
      const before = there.get(node.name);
      return before === undefined ? [] : [[node, before] as const];
    });
    // Nodes that are reached where they were need no new status.
    await this.#server?.start(kubeletPortOf(left[0]?.[1].status));
    await this.#registration.adopt(left);
    await this.#registration.add(
      this.nodes.filter(({ name }) => !there.has(name)),
      signal,
    );
    this.#running = Promise.all([this.#kubelet.run(signal), this.#heartbeats.run(signal)]);
    await this.pods.whenSynced(signal);
  }
}
