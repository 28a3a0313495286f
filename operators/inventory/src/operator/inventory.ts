import type { Clock, Log, Random } from '@quartermaster/kernel';
import { type CacheOpener, type KubeClient, kinds } from '@quartermaster/kube';
import type { StatePublisher } from '@quartermaster/runtime/host';
import { defaultInventoryConfig, type InventoryConfig, listedClasses, storageClassRefusal } from '../config/inventory-config.ts';
import { InventoryConfigFile } from '../config/inventory-config-file.ts';
import { InventoryLedger } from '../ledger/inventory-ledger.ts';
import type { NodeUtilization, UnreadCards } from '../model/node-inventory.ts';
import type { Completeness } from '../model/snapshot.ts';
import type { VolumesInEphemeral } from '../model/storage-inventory.ts';
import { LeftOutObjects } from '../observe/left-out.ts';
import { BusPublisher } from '../publish/bus-publisher.ts';
import { InventoryFeed } from '../publish/inventory-feed.ts';
import { offeredClasses } from '../storage/offered-classes.ts';
import { publishedClasses } from '../storage/published-classes.ts';
import { storageQueriers } from '../storage/storage-queriers.ts';
import { StorageWatch } from '../storage/storage-watch.ts';
import { InventoryViews } from '../views/inventory-views.ts';
import type { AgentNetwork } from './agent-network.ts';
import { AgentUsagePoll } from './agent-usage-poll.ts';
import { AgentWatch } from './agent-watch.ts';
import { clusterNodesOf, nodeFilesystemsOf } from './cluster-views.ts';
import { watchGpuKnowledge } from './gpu-knowledge-watch.ts';
import { InventorySources } from './inventory-sources.ts';
import { RunningParts } from './running-parts.ts';
import { ServerContact } from './server-contact.ts';
import { UtilizationPoll } from './utilization-poll.ts';

export interface InventoryOptions {
  /** Stays open when the inventory stops. */
  readonly client: KubeClient;
  readonly caches: CacheOpener;
  readonly bus?: StatePublisher | undefined;
  /** Replicas publish on the same one: then only the leader may, since each has an epoch of its own. */
  readonly isBusShared?: boolean | undefined;
  /** Undefined: the uid of the namespace kube-system, which no two clusters share. */
  readonly clusterId?: string | undefined;
  /** The namespace of the operator's own objects. */
  readonly namespace: string;
  /** Without it, nobody is asked how busy GPUs are. */
  readonly agents?: AgentNetwork | undefined;
  readonly configFile?: string | undefined;
  readonly gpuDatabaseUrl?: string | undefined;
  readonly gpuDatabaseIntervalMs?: number | undefined;
  readonly publishIntervalMs?: number | undefined;
  /** Told when it cannot go on. Undefined: nobody catches it. */
  readonly fail?: ((thrown: unknown) => void) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** How often to look whether sources went stale, and what changes by the passing of time. */
const lookIntervalMs = 1_000;
/** A slice of the ledger is audited so often: with 2 000 pods a slice, 150 000 pods in a minute and a half. */
const auditIntervalMs = 1_000;

/** The live inventory of one cluster: everything that reads, counts and publishes. Writing to the cluster is the leader's, not its. */
export class Inventory {
  readonly ledger: InventoryLedger;
  readonly feed: InventoryFeed;
  readonly views: InventoryViews;
  readonly sources: InventorySources;
  readonly storage: StorageWatch;
  readonly publisher: BusPublisher | undefined;
  readonly config: InventoryConfigFile | undefined;
  readonly gpus: Awaited<ReturnType<typeof watchGpuKnowledge>>;
  readonly agents: AgentWatch;
  readonly usage: AgentUsagePoll | undefined;
  readonly metrics: UtilizationPoll;
  readonly leftOut: LeftOutObjects;
  readonly #clock: Clock;
  readonly #contact: ServerContact;
  readonly #isBusShared: boolean;
  readonly #parts: RunningParts;
  readonly #publishingEnds = new AbortController();
  #isRead = false;
  #sharesEphemeral = false;
  #heldVolumes: VolumesInEphemeral | undefined;
  #seenMoves = 0;

  private constructor(
    options: InventoryOptions,
    clusterId: string,
    { config, gpus, leftOut }: Pick<Inventory, 'config' | 'gpus' | 'leftOut'>,
  ) {
    const { client, bus, clock, random, log } = options;
    const { caches } = leftOut;
    const context = { clock, random, log };
    this.#clock = clock;
    this.#parts = new RunningParts(options);
    this.#isBusShared = options.isBusShared ?? false;
    this.config = config;
    this.gpus = gpus;
    this.leftOut = leftOut;
    this.ledger = new InventoryLedger(gpus.current, (source, object, take) => leftOut.taking(source, object, take));
    this.ledger.setConfig(this.#sold, clock.now());
    this.feed = new InventoryFeed({
      clusterId,
      source: {
        isReady: () => this.#isRead,
        takeChanges: () => this.#takeChanges(clock.now()),
        view: (name) => this.ledger.nodeView(name),
        takeLeasePods: () => this.ledger.leasePods.take(),
        leasePod: (uid) => this.ledger.leasePods.get(uid),
        storage: () => publishedClasses(this.storage, (name) => this.ledger.nodeView(name)),
        takeLeaseVolumes: () => this.storage.leaseVolumes.take(),
        leaseVolume: (uid) => this.storage.leaseVolumes.get(uid),
        totals: () => this.ledger.totals(),
        completeness: () => this.completeness(),
      },
      minIntervalMs: options.publishIntervalMs,
      ...context,
    });
    this.sources = new InventorySources({
      clock,
      namespace: options.namespace,
      ledger: this.ledger,
      leftOut,
      changed: () => this.feed.touch('nodes'),
    });
    this.views = new InventoryViews({
      feed: this.feed,
      allocations: (filter) => this.ledger.allocations(filter),
      observed: (name) => this.sources.nodes.get(name)?.value,
      confirmedAt: () => Math.max(this.#contact.confirmedAt, this.sources.lastContactAt),
      clock,
    });
    this.#contact = new ServerContact({ client, clock, confirmed: () => this.views.changed() });
    this.storage = new StorageWatch({
      client,
      caches,
      namespaces: this.sources.namespaces,
      isOffered: (storageClass) => storageClassRefusal(this.#sold, storageClass),
      listed: () => listedClasses(this.#sold),
      queriers: storageQueriers({ filesystems: nodeFilesystemsOf(this.sources), nodes: clusterNodesOf(this.sources.nodes) }),
      clock,
      log,
    });
    this.storage.subscribe(() => this.#storageChanged());
    const { nodes, agents, hardware } = this.sources;
    this.agents = new AgentWatch({ nodes, agents, hardware, tell: (node, silence) => this.ledger.setAgent(node, silence, clock.now()) });
    this.usage = this.#usageOf(options);
    const measured = (node: string, utilization: NodeUtilization | undefined): void =>
      this.ledger.setUtilization(node, { utilization: utilization ?? 'none' }, clock.now());
    this.metrics = new UtilizationPoll({ client, clock, log, leftOut, measured });
    this.publisher = bus === undefined ? undefined : new BusPublisher({ feed: this.feed, bus, ...context });
  }

  /** Resolves when everything has begun. The first snapshot is in the feed once everything has been read. */
  static async start(options: InventoryOptions): Promise<Inventory> {
    const { client, namespace, configFile, clock, random, log } = options;
    const leftOut = new LeftOutObjects(options.caches);
    const clusterId = options.clusterId ?? (await client.get(kinds.namespaces, { name: 'kube-system' })).metadata?.uid ?? '';
    let inventory: Inventory | undefined = undefined;
    const onChange = (): void => {
      if (inventory !== undefined) inventory.#configChanged();
    };
    const config = configFile === undefined ? undefined : await InventoryConfigFile.open({ path: configFile, clock, log, onChange });
    const gpus = await watchGpuKnowledge({
      caches: leftOut.caches,
      databaseUrl: options.gpuDatabaseUrl,
      refreshIntervalMs: options.gpuDatabaseIntervalMs ?? 300_000,
      namespace,
      clock,
      random,
      log,
      changed: () => {
        if (inventory !== undefined) inventory.#gpusChanged();
      },
    });
    inventory = new Inventory(options, clusterId, { config, gpus, leftOut });
    inventory.#run(options);
    return inventory;
  }

  /** What of the inventory is being followed right now. */
  completeness(): Completeness {
    const stale = [...this.sources.stale(), ...this.storage.stale(), ...this.gpus.stale(), ...this.metrics.stale()];
    const leftOut = this.leftOut.current();
    return { complete: stale.length + leftOut.length === 0, stale, leftOut };
  }

  /** Publishes on the bus that replicas share, until the leadership ends. Any other bus has all of it anyhow. */
  async publishAsLeader(signal: AbortSignal): Promise<void> {
    if (this.#isBusShared) await this.publisher?.run(AbortSignal.any([signal, this.#publishingEnds.signal]));
  }

  /** The bus gets nothing more, and may be closed before the rest has stopped. */
  endPublishing(): void {
    this.#publishingEnds.abort(new Error('the inventory is being stopped'));
  }

  async stop(): Promise<void> {
    this.endPublishing();
    const stopping = this.#parts.stop();
    this.views.stop();
    this.feed.stop();
    await stopping;
    await Promise.all([this.sources.stop(), this.storage.stop(), this.gpus.stop(), this.config?.close()]);
  }

  #run({ log }: InventoryOptions): void {
    const { usage, metrics, publisher } = this;
    this.#parts.run('first reading', (signal) => this.#read(signal));
    this.#parts.run('contact with the API server', (signal) => this.#contact.run(signal));
    this.#parts.every('what time changes', lookIntervalMs, () => this.#look());
    this.#parts.every('audit', auditIntervalMs, () => this.#audit(log));
    this.#parts.run('metrics of nodes', (signal) => metrics.run(signal));
    if (usage !== undefined) this.#parts.run('metrics of GPUs', (signal) => usage.run(signal));
    if (publisher !== undefined && !this.#isBusShared) this.#parts.run('publishing', () => publisher.run(this.#publishingEnds.signal));
  }

  #usageOf({ agents, clock, log }: InventoryOptions): AgentUsagePoll | undefined {
    if (agents === undefined) return undefined;
    return new AgentUsagePoll({
      agents,
      pods: this.sources.agents,
      clock,
      log,
      hasGpus: (node) => (this.ledger.nodeView(node)?.devices.length ?? 0) > 0,
      fingerprintOf: (node) => this.sources.hardware.get(node)?.value.fingerprint,
      portOf: (node) => this.sources.hardware.get(node)?.value.port,
      measured: (node, gpuPercent) => this.ledger.setUtilization(node, { gpuPercent }, clock.now()),
    });
  }

  async #read(signal: AbortSignal): Promise<void> {
    await Promise.all([this.sources.whenRead(signal), this.storage.whenReady(signal), this.gpus.whenRead(signal)]);
    this.agents.look(this.#clock.now(), { isStart: true });
    this.#gpusChanged();
    this.#storageChanged();
    // From here on, so that the first snapshot has all of it.
    this.#isRead = true;
    this.feed.touch('storage');
  }

  /** What the provider decided about what is sold. */
  get #sold(): InventoryConfig {
    return this.config?.current ?? defaultInventoryConfig;
  }

  #configChanged(): void {
    this.ledger.setConfig(this.#sold, this.#clock.now());
    this.storage.recheck();
    this.feed.touch('storage');
  }

  #gpusChanged(): void {
    const now = this.#clock.now();
    this.ledger.setGpuDatabase(this.gpus.current, now);
    this.ledger.setUnreadCards(this.#unreadCards, now);
    this.feed.touch('nodes');
  }

  get #unreadCards(): UnreadCards {
    return { ...this.sources.unreadCards, names: this.gpus.isUndecided };
  }

  #storageChanged(): void {
    const storage = this.storage.current();
    this.ledger.setStorageClasses(offeredClasses(storage, this.storage.unreadClasses), this.#clock.now());
    this.#sharesEphemeral = storage.some(({ ephemeralNodes }) => ephemeralNodes !== undefined);
    this.feed.touch('storage');
  }

  /** A node lacks what volumes have of its ephemeral storage in the generation of the classes that count them, neither before nor after. */
  #takeChanges(now: number): ReturnType<InventoryLedger['takeChanges']> {
    const held = this.storage.volumesInEphemeral();
    if (held !== this.#heldVolumes) {
      this.#heldVolumes = held;
      this.ledger.setVolumesInEphemeral(held, now);
      this.feed.touch('storage');
    }
    return this.ledger.takeChanges(now);
  }

  /** What of the storage follows from the nodes has no event of its own, nor has that a source is read at last. */
  #look(): void {
    const now = this.#clock.now();
    this.sources.look();
    this.agents.look(now);
    this.ledger.setUnreadCards(this.#unreadCards, now);
    const { moves } = this.ledger;
    const hasMoved = moves !== this.#seenMoves;
    this.#seenMoves = moves;
    this.feed.touch(this.#sharesEphemeral || hasMoved ? 'storage' : 'completeness');
  }

  #audit(log: Log): void {
    for (const drift of this.ledger.audit(this.#clock.now()).drifts) log.error('the inventory drifted and was corrected', { drift });
  }
}
