import type { ConsoleNode, ConsoleSnapshot, NodeSale, PodPage, PodQuery } from '@quartermaster/console';
import type { Clock } from '@quartermaster/kernel';
import type { CacheStatus, ReadableCache } from '@quartermaster/kube';
import type { NodeFacts } from './console-node.ts';
import { PodIndex } from './pod-index.ts';
import type { HeartbeatFacts, PodFacts } from './read-facts.ts';

export type ViewedCache<P> = Pick<ReadableCache<P>, 'subscribe' | 'status'>;

export interface ClusterViewOptions {
  readonly nodes: ViewedCache<NodeFacts>;
  readonly pods: ViewedCache<PodFacts>;
  readonly heartbeats: ViewedCache<HeartbeatFacts>;
  readonly clock: Clock;
  /** What the inventory says of a node. Whoever knows it tells of changes with `outdate`. */
  readonly saleOf?: ((name: string) => NodeSale | undefined) | undefined;
  /** Told of every change, unlimited in pace. */
  readonly changed: () => void;
}

/** Nodes and pods, kept up to date change by change, so that a look at 150 000 pods costs no walk over them. */
export class ClusterView {
  readonly #options: ClusterViewOptions;
  readonly #nodes = new Map<string, NodeFacts>(); // name -> node
  readonly #heartbeats = new Map<string, number>(); // node name -> when it renewed its lease
  readonly #podsOnNode = new Map<string, number>(); // node name -> pods
  readonly #podsByPhase = new Map<string, number>(); // phase -> pods
  readonly #pods = new PodIndex();
  readonly #shown = new Map<string, ConsoleNode>(); // name -> node as it was last shown and still is
  readonly #subscriptions: readonly (() => void)[];
  #nodeList: readonly ConsoleNode[] | undefined;
  #confirmedAt = 0;

  constructor(options: ClusterViewOptions) {
    this.#options = options;
    this.#subscriptions = [this.#followNodes(), this.#followPods(), this.#followHeartbeats()];
  }

  /**
   * The server has just answered that it is well. A quiet cluster says nothing on its watches for a minute at a time: while they
   * are open, such an answer is what confirms that nothing changed.
   */
  confirm(): void {
    this.#confirmedAt = this.#options.clock.now();
    this.#options.changed();
  }

  /** Undefined until nodes and pods have each been read completely once. */
  current(): ConsoleSnapshot['cluster'] {
    const observedAt = this.#observedAt();
    if (observedAt === undefined) return undefined;
    this.#nodeList ??= [...this.#nodes].map(([name, facts]) => this.#show(name, facts));
    return { observedAt, nodes: this.#nodeList, podsByPhase: Object.fromEntries(this.#podsByPhase) };
  }

  /** Undefined as long as `current` is. */
  pods(query: PodQuery): PodPage | undefined {
    return this.#observedAt() === undefined ? undefined : this.#pods.page(query);
  }

  /** Something about the node changed. */
  outdate(name: string): void {
    this.#shown.delete(name);
    this.#nodeList = undefined;
  }

  stop(): void {
    for (const end of this.#subscriptions) end();
  }

  #followNodes(): () => void {
    const set = (key: string, facts: NodeFacts): void => {
      this.#nodes.set(key, facts);
      this.outdate(key);
      this.#options.changed();
    };
    return this.#options.nodes.subscribe({
      added: ({ key, value }) => set(key, value),
      updated: ({ key, value }) => set(key, value),
      deleted: ({ key }) => {
        this.#nodes.delete(key);
        this.outdate(key);
        this.#options.changed();
      },
    });
  }

  #followHeartbeats(): () => void {
    const set = ({ node, renewedAt }: HeartbeatFacts): void => {
      if (renewedAt === undefined) this.#heartbeats.delete(node);
      else this.#heartbeats.set(node, renewedAt);
      this.outdate(node);
      this.#options.changed();
    };
    return this.#options.heartbeats.subscribe({
      added: ({ value }) => set(value),
      updated: ({ value }) => set(value),
      deleted: ({ value }) => set({ node: value.node, renewedAt: undefined }),
    });
  }

  #followPods(): () => void {
    const { pods, clock, changed } = this.#options;
    const set = (key: string, pod: PodFacts, before: PodFacts | undefined): void => {
      if (before !== undefined) this.#count(before, -1);
      this.#count(pod, 1);
      // What was there before we looked did not change just now: only its own stamps tell when it did.
      this.#pods.set(key, pod, pods.status().synced ? clock.now() : pod.stampedAt);
      changed();
    };
    return pods.subscribe({
      added: ({ key, value }) => set(key, value, undefined),
      updated: ({ key, value }, before) => set(key, value, before.value),
      deleted: ({ key, value }) => {
        this.#count(value, -1);
        this.#pods.delete(key);
        changed();
      },
    });
  }

  #observedAt(): number | undefined {
    const kinds = [this.#options.nodes.status(), this.#options.pods.status()];
    return kinds.every(({ synced }) => synced) ? Math.min(...kinds.map((status) => this.#contactOf(status))) : undefined;
  }

  #contactOf({ state, lastContactAt = 0 }: CacheStatus): number {
    return state === 'watching' ? Math.max(lastContactAt, this.#confirmedAt) : lastContactAt;
  }

  /** The same object for as long as nothing about the node changed. */
  #show(name: string, facts: NodeFacts): ConsoleNode {
    const known = this.#shown.get(name);
    if (known !== undefined) return known;
    const heartbeatAt = this.#heartbeats.get(name);
    const node = { ...facts, heartbeatAt, sale: this.#options.saleOf?.(name), pods: this.#podsOnNode.get(name) ?? 0 };
    this.#shown.set(name, node);
    return node;
  }

  #count({ node, phase }: PodFacts, step: 1 | -1): void {
    add(this.#podsByPhase, phase, step);
    if (node === undefined) return;
    add(this.#podsOnNode, node, step);
    this.outdate(node);
  }
}

function add(counts: Map<string, number>, key: string, step: number): void {
  const count = (counts.get(key) ?? 0) + step;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
