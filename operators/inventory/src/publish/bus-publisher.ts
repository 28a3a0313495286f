import { create } from '@bufbuild/protobuf';
import { WireType } from '@bufbuild/protobuf/wire';
import { ClusterStateSchema, GenerationSchema, NodeStateSchema, StorageStateSchema } from '@quartermaster/api/inventory';
import { clusterTopic, nodesTopic, stateKey, storageTopic } from '@quartermaster/api/inventory-topics';
import { Backoff, type Clock, type Log, messageOf, pause, type Random, silentLog, systemClock, systemRandom } from '@quartermaster/kernel';
import type { StatePublisher } from '@quartermaster/runtime/host';
import type { Generation } from '../model/snapshot.ts';
import { timestamp } from './amount-message.ts';
import { encodeNodeValue } from './encode-node.ts';
import { encodeNodeState } from './encode-node-state.ts';
import type { FeedState, InventoryFeed } from './inventory-feed.ts';
import { completenessMessage, generationMessage, storageMessage, totalsMessage } from './snapshot-message.ts';

export interface BusPublisherOptions {
  readonly feed: InventoryFeed;
  readonly bus: StatePublisher;
  /** At least so long between two rounds. Default 250 ms: readers in a hurry use the stream. */
  readonly minIntervalMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
}

export interface BusPublisherStatus {
  /** What the bus has; undefined before the first round ended. */
  readonly published: Generation | undefined;
  /** Why the last round failed; undefined when it did not. */
  readonly problem: string | undefined;
}

const nodeField = NodeStateSchema.field.node.number;

/** The topic of the contract, with an encoder that takes nodes as they are packed. */
const packedNodesTopic = { ...nodesTopic, codec: { ...nodesTopic.codec, encode: encodeNodeState } };

/** How many values travel at a time. */
const batchSize = 64;

/**
 * Keeps the topics of the inventory as the feed has them: in each round what changed since the last that the bus took, nodes and classes first, then the
 * cluster, whose generation therefore promises that the others are there. A round that fails is repeated with what is true by then.
 */
export class BusPublisher {
  readonly #feed: InventoryFeed;
  readonly #bus: StatePublisher;
  readonly #minIntervalMs: number;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #backoff: Backoff;
  readonly #known = { nodes: new Set<string>(), storage: new Set<string>() };
  #published: Generation | undefined;
  #problem: string | undefined;

  constructor(options: BusPublisherOptions) {
    this.#feed = options.feed;
    this.#bus = options.bus;
    this.#minIntervalMs = options.minIntervalMs ?? 250;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLog;
    this.#backoff = new Backoff({ firstMs: 500, maxMs: 30_000, factor: 2 }, options.random ?? systemRandom);
  }

  status(): BusPublisherStatus {
    return { published: this.#published, problem: this.#problem };
  }

  /** Publishes until the signal aborts or the feed stops. Begins with everything: others may have published since it last ran. */
  async run(signal: AbortSignal): Promise<void> {
    this.#published = undefined;
    // The feed tells when there is something new; what that is, a round finds out when it begins.
    for await (const _event of this.#feed.subscribe(undefined, signal)) {
      for (let isDone = false; !isDone && !signal.aborted; ) {
        isDone = await this.#round(signal);
        await pause(this.#clock, isDone ? this.#minIntervalMs : this.#backoff.nextMs(), signal);
      }
      this.#backoff.reset();
    }
  }

  async #round(signal: AbortSignal): Promise<boolean> {
    const state = this.#feed.state();
    if (state === undefined || state.generation.sequence === this.#published?.sequence) return true;
    try {
      await this.#publishChanges(state, signal);
      this.#published = state.generation;
      this.#problem = undefined;
      return true;
    } catch (thrown) {
      if (!signal.aborted) {
        this.#problem = messageOf(thrown);
        this.#log.warn('inventory could not be published on the bus', { error: thrown });
      }
      return false;
    }
  }

  async #publishChanges(state: FeedState, signal: AbortSignal): Promise<void> {
    const { clusterId } = this.#feed;
    const generation = create(GenerationSchema, generationMessage(state.generation));
    const changed = this.#changedSince(this.#published);
    const nodes = changed.nodes.map((name) => () => {
      const node = this.#feed.node(name);
      const value = create(NodeStateSchema, { clusterId, generation, name });
      if (node !== undefined) value.$unknown = [{ no: nodeField, wireType: WireType.LengthDelimited, data: encodeNodeValue(node) }];
      return this.#bus.publish(packedNodesTopic, value, { key: stateKey(clusterId, name), signal });
    });
    const classes = changed.storage.map((name) => () => {
      const storage = this.#feed.storageClass(name);
      const message = storage === undefined ? undefined : storageMessage(storage);
      const value = create(StorageStateSchema, { clusterId, generation, name, storageClass: message });
      return this.#bus.publish(storageTopic, value, { key: stateKey(clusterId, name), signal });
    });
    await this.#inBatches([...nodes, ...classes], signal);
    const cluster = create(ClusterStateSchema, {
      clusterId,
      generation,
      observedAt: timestamp(state.observedAt),
      completeness: completenessMessage(state.completeness),
      totals: totalsMessage(state.totals),
    });
    await this.#bus.publish(clusterTopic, cluster, { key: clusterId, signal });
    for (const name of changed.nodes) this.#known.nodes.add(name);
    for (const name of changed.storage) this.#known.storage.add(name);
  }

  /** Everything, gone things included, when the feed no longer knows what changed. */
  #changedSince(published: Generation | undefined): { readonly nodes: readonly string[]; readonly storage: readonly string[] } {
    const delta = published === undefined ? undefined : this.#feed.deltaSince(published);
    if (delta !== undefined) {
      return {
        nodes: [...delta.nodes.map((node) => node.name), ...delta.removedNodes],
        storage: [...delta.storage.map((each) => each.class), ...delta.removedStorage],
      };
    }
    const snapshot = this.#feed.current();
    return {
      nodes: [...new Set([...(snapshot?.nodes ?? []).map((node) => node.name), ...this.#known.nodes])],
      storage: [...new Set([...(snapshot?.storage ?? []).map((each) => each.class), ...this.#known.storage])],
    };
  }

  /** Whatever else the process does gets its turn between two batches: a bus in memory makes nobody wait. */
  async #inBatches(tasks: readonly (() => Promise<unknown>)[], signal: AbortSignal): Promise<void> {
    for (let start = 0; start < tasks.length; start += batchSize) {
      if (start > 0) await pause(this.#clock, 0, signal);
      await Promise.all(tasks.slice(start, start + batchSize).map((task) => task()));
    }
  }
}
