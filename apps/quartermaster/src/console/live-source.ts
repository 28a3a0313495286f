import type { ConsoleSnapshot, ConsoleSource, PodPage, PodQuery } from '@quartermaster/console';
import { type Clock, coalesced, type Log, messageOf, pause } from '@quartermaster/kernel';
import { type Cache, type CacheStatus, type KubeClient, kinds, serverVersion, startCache } from '@quartermaster/kube';
import { ClusterView } from './cluster-view.ts';
import { type NodeFacts, nodeFacts, nodeFields } from './console-node.ts';
import { type InventoryPlace, InventoryView } from './inventory/inventory-view.ts';
import { PartBoard } from './part-board.ts';
import {
  type HeartbeatFacts,
  heartbeatFacts,
  heartbeatFields,
  heartbeatNamespace,
  type PodFacts,
  podFacts,
  podFields,
} from './read-facts.ts';
import { type WhenReadOptions, whenRead } from './when-read.ts';

export interface LiveSourceOptions {
  /** The address of the server is known once there is one to follow. */
  readonly installation: Omit<ConsoleSnapshot['installation'], 'server'>;
  /** Where the inventory operator of this process shows up. */
  readonly inventory: InventoryPlace;
  readonly clock: Clock;
  readonly log: Log;
}

const everyMs = 250;
const probeEveryMs = 10_000;
const probeTimeoutMs = 5_000;
const partName = 'Kubernetes API';

/** Everything that the console and `quartermaster status` show: the parts of this installation and the cluster it works on. */
export class LiveSource implements ConsoleSource {
  readonly parts: PartBoard;
  readonly inventory: InventoryView;
  readonly #options: LiveSourceOptions;
  readonly #listeners = new Set<() => void>();
  readonly #tell: ReturnType<typeof coalesced>;
  #cluster: Connected | undefined;
  #server = '';

  constructor(options: LiveSourceOptions) {
    this.#options = options;
    this.#tell = coalesced(options.clock, everyMs, () => {
      for (const listener of this.#listeners) listener();
    });
    this.parts = new PartBoard(options.clock, this.#tell.trigger);
    this.inventory = new InventoryView({
      place: options.inventory,
      clock: options.clock,
      changed: this.#tell.trigger,
      nodeChanged: (name) => this.#cluster?.view.outdate(name),
    });
  }

  /** Begins to follow the cluster. The client stays the caller's, who stops this source before closing it. */
  follow(client: KubeClient, server: string): void {
    this.#server = server;
    this.#cluster = new Connected(client, this.parts, this.inventory, this.#options, this.#tell.trigger);
  }

  /** Resolves when the cluster has been read completely once. Rejects when nothing of it arrives any more. */
  async whenRead(options: Pick<WhenReadOptions, 'signal' | 'onProgress'>): Promise<void> {
    await this.#cluster?.whenRead(options);
  }

  current(): ConsoleSnapshot {
    const installation = { ...this.#options.installation, server: this.#server };
    return { installation, parts: this.parts.list(), cluster: this.#cluster?.view.current() };
  }

  pods(query: PodQuery): PodPage | undefined {
    return this.#cluster?.view.pods(query);
  }

  subscribe(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  async stop(): Promise<void> {
    this.#tell.stop();
    await this.#cluster?.stop();
  }
}

/** The caches of one cluster and the question, asked again and again, whether its server is there. */
class Connected {
  readonly view: ClusterView;
  readonly #nodes: Cache<NodeFacts>;
  readonly #pods: Cache<PodFacts>;
  readonly #heartbeats: Cache<HeartbeatFacts>;
  readonly #parts: PartBoard;
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  readonly #probing: Promise<void>;
  #version: string | undefined;

  constructor(client: KubeClient, parts: PartBoard, inventory: InventoryView, { clock, log }: LiveSourceOptions, changed: () => void) {
    this.#parts = parts;
    this.#clock = clock;
    this.#nodes = startCache(client, { type: kinds.nodes, fields: nodeFields, project: nodeFacts, clock, log });
    this.#pods = startCache(client, { type: kinds.pods, fields: podFields, project: podFacts, clock, log });
    this.#heartbeats = startCache(client, {
      type: kinds.leases,
      namespace: heartbeatNamespace,
      fields: heartbeatFields,
      project: heartbeatFacts,
      clock,
      log,
    });
    this.view = new ClusterView({
      nodes: this.#nodes,
      pods: this.#pods,
      heartbeats: this.#heartbeats,
      saleOf: (name) => inventory.saleOf(name),
      clock,
      changed,
    });
    parts.set(partName, 'external', { state: 'starting' });
    this.#probing = this.#probe(client);
  }

  async whenRead(options: Pick<WhenReadOptions, 'signal' | 'onProgress'>): Promise<void> {
    await whenRead({ nodes: this.#nodes, pods: this.#pods }, { ...options, clock: this.#clock });
    this.#report(undefined);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    this.view.stop();
    await Promise.all([this.#nodes.stop(), this.#pods.stop(), this.#heartbeats.stop(), this.#probing]);
  }

  async #probe(client: KubeClient): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        const { gitVersion } = await serverVersion(client.transport, { timeoutMs: probeTimeoutMs, signal });
        this.#version = gitVersion;
        this.view.confirm();
        this.#report(undefined);
      } catch (error) {
        if (signal.aborted) return;
        this.#report(messageOf(error));
      }
      await pause(this.#clock, probeEveryMs, signal);
    }
  }

  #report(problem: string | undefined): void {
    const caches = [this.#nodes.status(), this.#pods.status()];
    const reason = problem ?? caches.map(reasonOf).find((text) => text !== undefined);
    const isRead = caches.every(({ synced }) => synced);
    const healthy = isRead ? 'ready' : 'starting';
    const unhealthy = isRead ? 'degraded' : 'failed';
    const facts = this.#version === undefined ? {} : { version: this.#version };
    this.#parts.set(partName, 'external', { state: reason === undefined ? healthy : unhealthy, reason, facts });
  }
}

/** A watch that ends in good order and is opened again is no problem: then there is no error. */
const reasonOf = ({ state, lastError }: CacheStatus): string | undefined => (state === 'watching' ? undefined : lastError);
