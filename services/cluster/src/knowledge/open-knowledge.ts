import { type Clock, type FollowState, type Log, messageOf, pause, type Random, StatusError } from '@quartermaster/kernel';
import type { CacheOpener } from '@quartermaster/kube';
import type { RpcChannel } from '@quartermaster/rpc';
import type { Book } from '../book/reservation-book.ts';
import type { InventoryKnowledge } from '../model/knowledge.ts';
import type { CommitLevel } from '../placement/commit-level.ts';
import { leftOut } from './delta-reader.ts';
import { DeltaSource } from './delta-source.ts';
import { Freshness, SleepWatch } from './freshness.ts';
import { InventoryPicture } from './inventory-picture.ts';
import type { InventorySink } from './inventory-sink.ts';
import { type InventoryMessage, InventoryStream } from './inventory-stream.ts';
import { IpPoolPoll } from './ip-pool.ts';
import type { KnowledgeSettings } from './knowledge-settings.ts';
import { NamespaceUids } from './namespace-uids.ts';
import { NodePorts } from './node-ports.ts';
import { SnapshotSource } from './snapshot-source.ts';

export interface KnowledgeOptions {
  /** To the inventory: a new connection each time. May throw. */
  readonly connect: () => Promise<RpcChannel>;
  /** To the IP operator, where there is one. */
  readonly connectIpOperator?: (() => Promise<RpcChannel>) | undefined;
  readonly caches: CacheOpener;
  readonly book: Pick<Book, 'takeInventory' | 'setKnowledge' | 'setNodePorts' | 'setIpPool'>;
  readonly settings: Pick<KnowledgeSettings, 'inventory-resource-poll-period' | 'inventory-resource-debug-frequency' | 'inventory-max-age'>;
  readonly storageLevel: CommitLevel;
  /** Tells what is known, every so many polls. */
  readonly draw?: ((picture: InventoryPicture) => void) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** How the knowledge comes about. */
export interface KnowledgeStatus {
  readonly knowledge: InventoryKnowledge;
  /** As the inventory calls the cluster, where it does. */
  readonly clusterId: string | undefined;
  readonly stream: FollowState;
  /** Polls that found something else than was known in the same generation. */
  readonly drifts: number;
  /** What is not being heard of, for however short a time. */
  readonly silent: readonly string[];
  readonly nodes: number;
  readonly storageClasses: number;
  readonly leasePods: number;
  /** Why the pool of addresses is not known. */
  readonly ipPoolError: string | undefined;
}

const lookMs = 1_000;

/** Starts to read the cluster; `run` follows the inventory. */
export function openKnowledge(options: KnowledgeOptions): Knowledge {
  return new Knowledge(options);
}

/** What the cluster has, as this replica hears it, told to its book. */
export class Knowledge {
  readonly #options: KnowledgeOptions;
  readonly #freshness: Freshness;
  readonly #sleep: SleepWatch;
  readonly #stream: InventoryStream;
  readonly #namespaces: NamespaceUids;
  readonly #ports: NodePorts;
  readonly #ips: IpPoolPoll | undefined;
  readonly #deltas: DeltaSource;
  readonly #picture = new InventoryPicture();
  #snapshots: SnapshotSource | undefined;
  #protocol: InventoryKnowledge['protocol'] = 'unknown';
  #observedAt: number | undefined;
  #problem: string | undefined = 'InventoryUnknown';

  constructor(options: KnowledgeOptions) {
    const { caches, book, clock, random, log, connectIpOperator } = options;
    const { 'inventory-resource-poll-period': pollMs, 'inventory-max-age': maxAgeMs } = options.settings;
    this.#options = options;
    this.#freshness = new Freshness({
      maxAgeMs,
      clock,
      silent: () => this.#source?.silent() ?? [],
      silentClaims: () => (this.#protocol === 'deltas' ? this.#deltas.silentClaims() : []),
    });
    this.#sleep = new SleepWatch(clock, maxAgeMs / 2);
    this.#deltas = new DeltaSource({ ...options, sink: this.#sink });
    const take = (message: InventoryMessage): void => this.#take(message);
    this.#stream = new InventoryStream({ connect: options.connect, take, changed: () => this.#look(), pollMs, clock, random });
    this.#namespaces = new NamespaceUids(caches);
    this.#ports = new NodePorts({ caches, namespaces: this.#namespaces, changed: (use) => book.setNodePorts(use), maxAgeMs, clock });
    this.#ips =
      connectIpOperator &&
      new IpPoolPoll({ connect: connectIpOperator, changed: (pool) => book.setIpPool(pool), pollMs, maxAgeMs, clock, log });
    book.setKnowledge(this.current());
  }

  /** At this moment, and its problem at whatever moment it is read. */
  current(): InventoryKnowledge {
    return this.#freshness.current();
  }

  status(): KnowledgeStatus {
    return {
      knowledge: { ...this.current() },
      clusterId: this.#deltas.clusterId,
      stream: this.#stream.status().state,
      drifts: this.#deltas.drifts,
      silent: [...this.#freshness.silent, ...this.#ports.silent()].map(({ source }) => source),
      nodes: this.#picture.nodes.size,
      storageClasses: this.#picture.classes.size,
      leasePods: this.#picture.pods.size,
      ipPoolError: this.#ips?.error,
    };
  }

  /** Follows until the signal aborts, whatever its servers do. To be called once. */
  async run(signal: AbortSignal): Promise<void> {
    const awake = this.#sleep.start();
    try {
      await Promise.all([
        this.#stream.run(signal),
        this.#poll(signal),
        this.#lookAgain(signal),
        this.#ips?.run(signal),
        this.#ports.whenRead(signal).catch((thrown: unknown) => {
          if (!signal.aborted) throw thrown;
        }),
      ]);
    } finally {
      awake();
      await Promise.all([this.#snapshots?.stop(), this.#ports.stop(), this.#namespaces.stop()]);
    }
  }

  readonly #sink: InventorySink = {
    tell: (change) => {
      this.#picture.take(change);
      this.#observedAt = change.observedAt;
      this.#options.book.takeInventory(change);
    },
    confirm: (at) => {
      const generation = this.#protocol === 'deltas' ? this.#deltas.generation : undefined;
      this.#freshness.heard({ generation, observedAt: this.#observedAt, protocol: this.#protocol }, at);
      this.#options.book.setKnowledge(this.current());
      this.#look();
    },
    differences: (whole) => this.#picture.differences(whole),
    node: (name) => this.#picture.nodes.get(name),
  };

  #take(message: InventoryMessage): void {
    if (this.#sleep.hasSlept()) {
      throw new StatusError('unavailable', 'this process did not run for a while, and what arrives now may be as old: connecting again');
    }
    this.#speak(message.protocol);
    if (message.protocol === 'deltas') this.#deltas.take(message.event);
    else this.#snapshots?.take(message.cluster);
  }

  /** What another protocol told stays until this one has told everything. */
  #speak(protocol: InventoryMessage['protocol']): void {
    if (protocol === this.#protocol) return;
    const { caches, storageLevel, clock, log } = this.#options;
    log.info('the inventory is followed', { protocol });
    this.#protocol = protocol;
    this.#deltas.forget();
    const before = this.#snapshots;
    this.#snapshots =
      protocol === 'snapshots'
        ? new SnapshotSource({ sink: this.#sink, caches, namespaces: this.#namespaces, storageLevel, clock })
        : undefined;
    void before?.stop();
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { settings, clock, log } = this.#options;
    const frequency = settings['inventory-resource-debug-frequency'];
    for (let count = 1; ; count += 1) {
      await pause(clock, settings['inventory-resource-poll-period'], signal);
      if (signal.aborted) return;
      await this.#pollOnce(count, signal).catch((thrown: unknown) => {
        if (signal.aborted) return;
        log.debug('a poll of the inventory failed', { error: messageOf(thrown) });
        if (thrown instanceof StatusError && thrown.details === leftOut) this.#stream.restart();
      });
      if (frequency > 0 && count % frequency === 0) this.#options.draw?.(this.#picture);
    }
  }

  async #pollOnce(count: number, signal: AbortSignal): Promise<void> {
    const { connection } = this.#stream;
    if (connection === undefined) return;
    if (this.#protocol === 'deltas') await this.#deltas.poll(connection, count, signal);
    if (this.#snapshots === undefined) return;
    await this.#snapshots.poll(connection, signal);
    this.#stream.sound();
  }

  get #source(): DeltaSource | SnapshotSource | undefined {
    return this.#protocol === 'deltas' ? this.#deltas : this.#snapshots;
  }

  async #lookAgain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#look();
      await pause(this.#options.clock, lookMs, signal);
    }
  }

  /** Tells when it went stale, or is fresh again. */
  #look(): void {
    const { book, log } = this.#options;
    const problem = this.#freshness.problem;
    if (problem?.code === this.#problem) return;
    this.#problem = problem?.code;
    book.setKnowledge(this.current());
    if (problem === undefined) log.info('the inventory is fresh: promises can be made', { protocol: this.#protocol });
    else log.warn('nothing new is promised', { reason: problem.code, message: problem.message });
  }
}
