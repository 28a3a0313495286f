import { equals } from '@bufbuild/protobuf';
import { type Cluster, ClusterRPC, ClusterSchema, type Node } from '@quartermaster/api/akash-inventory';
import type { Clock } from '@quartermaster/kernel';
import type { CacheOpener } from '@quartermaster/kube';
import type { RpcChannel } from '@quartermaster/rpc';
import type { InventoryChange, LeasePod, NodeFigures } from '../model/inventory-change.ts';
import type { CommitLevel } from '../placement/commit-level.ts';
import { akashCards, akashClass, akashNode } from './akash-figures.ts';
import type { SilentSource } from './freshness.ts';
import type { InventorySink } from './inventory-sink.ts';
import type { NamespaceUids } from './namespace-uids.ts';
import { SeenPods } from './seen-pods.ts';
import { silentCache } from './silent-cache.ts';

export interface SnapshotSourceOptions {
  readonly sink: InventorySink;
  readonly caches: CacheOpener;
  readonly namespaces: NamespaceUids;
  readonly storageLevel: CommitLevel;
  readonly clock: Clock;
}

const nothing = {
  removedNodes: [],
  classes: [],
  removedClasses: [],
  nodes: [],
  pods: [],
  removedPods: [],
  volumes: [],
  removedVolumes: [],
} as const satisfies Partial<InventoryChange>;

/**
 * An inventory that tells all there is, each time: akash.inventory.v1. It does not say which pods it has counted, nor when, so that all pods of the cluster are watched
 * beside it. What a node has allocated is at least what the pods that are seen on it request, and a pod is told together with its node: whatever promise it is matched
 * with, its room is counted once or twice, never not at all. Volumes of leases are not told: what is promised of a class counts beside the claims that came of it.
 */
export class SnapshotSource {
  readonly #options: SnapshotSourceOptions;
  readonly #seen: SeenPods;
  readonly #stopping = new AbortController();
  readonly #unsubscribe: () => void;
  #cluster: Cluster | undefined;
  #nodes: ReadonlyMap<string, Node> = new Map();
  #toldAt: number | undefined;

  /** Watches from now on. */
  constructor(options: SnapshotSourceOptions) {
    this.#options = options;
    const { caches, namespaces } = options;
    this.#seen = new SeenPods(
      caches,
      (name) => namespaces.of(name),
      (node) => akashCards(this.#nodes.get(node)),
      (nodes, uid, pod) => this.#podChanged(nodes, uid, pod),
    );
    this.#unsubscribe = namespaces.subscribe((name) => this.#tell({ pods: this.#seen.leasePods(name) }));
    void this.#seen.cache.whenSynced(this.#stopping.signal).then(
      () => this.#tellWhole(),
      () => {
        // It was stopped before.
      },
    );
  }

  silent(): readonly SilentSource[] {
    return silentCache(this.#seen.cache, this.#options.clock);
  }

  /** `at`: when it was asked for. */
  take(cluster: Cluster, at = this.#options.clock.monotonic()): void {
    const isSame = this.#cluster !== undefined && equals(ClusterSchema, this.#cluster, cluster);
    this.#toldAt = at;
    if (isSame) {
      if (this.#isRead) this.#options.sink.confirm(at);
      return;
    }
    this.#cluster = cluster;
    this.#nodes = new Map(cluster.nodes.map((node) => [node.name, node]));
    this.#tellWhole();
  }

  /** Beside the stream. */
  async poll(connection: RpcChannel, signal: AbortSignal): Promise<void> {
    const at = this.#options.clock.monotonic();
    this.take(await connection.client(ClusterRPC).queryCluster({}, { signal }), at);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe();
    await this.#seen.cache.stop();
  }

  get #isRead(): boolean {
    return this.#cluster !== undefined && this.#seen.cache.status().synced && !this.#stopping.signal.aborted;
  }

  #tellWhole(): void {
    const { sink, storageLevel, clock } = this.#options;
    if (!this.#isRead || this.#cluster === undefined) return;
    sink.tell({
      ...nothing,
      kind: 'whole',
      observedAt: clock.now(),
      nodes: this.#cluster.nodes.map((node) => this.#figures(node)),
      classes: this.#cluster.storage.map((each) => akashClass(each, storageLevel)),
      pods: this.#seen.leasePods(),
    });
    sink.confirm(this.#toldAt);
  }

  #podChanged(names: readonly string[], uid: string, pod: LeasePod | undefined): void {
    const nodes = names.flatMap((name) => this.#nodes.get(name) ?? []).map((node) => this.#figures(node));
    this.#tell({ nodes, ...(pod === undefined ? { removedPods: [uid] } : { pods: [pod] }) });
  }

  #tell(change: Partial<InventoryChange>): void {
    if (this.#isRead) this.#options.sink.tell({ ...nothing, kind: 'delta', observedAt: this.#options.clock.now(), ...change });
  }

  #figures(node: Node): NodeFigures {
    return akashNode(node, this.#seen.on(node.name));
  }
}
