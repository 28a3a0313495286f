import { isDeepStrictEqual } from 'node:util';
import {
  type Clock,
  coalesced,
  type Log,
  messageOf,
  type Random,
  StatusError,
  silentLog,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import type { NodeInventory } from '../model/node-inventory.ts';
import type {
  Completeness,
  Generation,
  InventoryDelta,
  InventorySnapshot,
  InventoryTotals,
  LeasePod,
  LeaseVolume,
} from '../model/snapshot.ts';
import { sortedByName } from '../model/sorted-by-name.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { type ChangedNames, DeltaRing, type DeltaRingOptions } from './delta-ring.ts';
import { PublishedValues } from './published-values.ts';

/** Where the feed reads what is true now. Values are never changed once given: a new truth is a new value. */
export interface InventorySource {
  /** Whether everything has been read once. Until then nothing is published. */
  isReady(): boolean;
  /** Nodes that may have changed and those that are gone since the last call; at the first call, every node. */
  takeChanges(): { readonly nodes: Iterable<string>; readonly removed: Iterable<string> };
  /** Undefined: there is no such node any more. */
  view(node: string): NodeInventory | undefined;
  /** Lease pods that may have changed or are gone since the last call; at the first call, every one. Asked after the views of nodes, in which they count. */
  takeLeasePods(): Iterable<string>;
  /** Undefined: there is no such pod any more, or it counts nowhere. */
  leasePod(uid: string): LeasePod | undefined;
  /** Every class. Asked only after storage was said to have changed. */
  storage(): readonly StorageInventory[];
  /** Claims of leases that may have changed or are gone since the last call; at the first call, every one. Asked right after `storage`, in which they count, and only then. */
  takeLeaseVolumes(): Iterable<string>;
  /** Undefined: there is no such claim any more, or it counts nowhere. */
  leaseVolume(uid: string): LeaseVolume | undefined;
  totals(): InventoryTotals;
  completeness(): Completeness;
}

export interface InventoryFeedOptions extends DeltaRingOptions {
  readonly clusterId: string;
  readonly source: InventorySource;
  /** At least so long between two generations. The first after a pause is immediate. Default 50 ms. */
  readonly minIntervalMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
}

/** Part of the source that changed. */
export type Touched = 'nodes' | 'storage' | 'completeness';

export type FeedEvent =
  | { readonly kind: 'snapshot'; readonly snapshot: InventorySnapshot }
  | { readonly kind: 'delta'; readonly delta: InventoryDelta };

/** A generation without its nodes and classes: what changed of those is asked for by name. */
export interface FeedState {
  readonly generation: Generation;
  readonly observedAt: number;
  readonly completeness: Completeness;
  readonly totals: InventoryTotals;
}

/**
 * Turns a source that changes all the time into generations that readers can follow. A generation costs what changed in it: a snapshot is put
 * together only when somebody asks, and a delta holds names until it is read.
 */
export class InventoryFeed {
  readonly clusterId: string;
  readonly epoch: string;
  readonly #source: InventorySource;
  readonly #publishSoon: ReturnType<typeof coalesced>;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #ring: DeltaRing;
  readonly #nodes = new PublishedValues<NodeInventory>(isSameNode);
  readonly #storage = new PublishedValues<StorageInventory>(isDeepStrictEqual);
  readonly #leasePods = new PublishedValues<LeasePod>(isDeepStrictEqual); // by uid
  readonly #leaseVolumes = new PublishedValues<LeaseVolume>(isDeepStrictEqual); // by uid of the claim
  readonly #listeners = new Set<() => void>();
  /** Sequence that a reader stands at -> what leads it to the newest generation, the same for all who stand there; a snapshot for everybody else. */
  readonly #events = new Map<number | undefined, FeedEvent>();
  #state: FeedState | undefined;
  #snapshot: InventorySnapshot | undefined;
  #isStorageTouched = true;
  #isStopped = false;
  #subscribers = 0;

  constructor(options: InventoryFeedOptions) {
    this.clusterId = options.clusterId;
    this.epoch = Buffer.from((options.random ?? systemRandom).fill(new Uint8Array(8))).toString('hex');
    this.#source = options.source;
    this.#clock = options.clock ?? systemClock;
    this.#publishSoon = coalesced(this.#clock, options.minIntervalMs ?? 50, () => this.#publish());
    this.#log = options.log ?? silentLog;
    this.#ring = new DeltaRing(options);
  }

  /** Something of the source changed. Cheap: call it for every change. */
  touch(what: Touched): void {
    if (what === 'storage') this.#isStorageTouched = true;
    this.#publishSoon.trigger();
  }

  /** The newest generation; undefined until everything was read once. */
  state(): FeedState | undefined {
    return this.#state;
  }

  /** The whole inventory of the newest generation; undefined until everything was read once: unknown is not empty. */
  current(): InventorySnapshot | undefined {
    if (this.#state === undefined) return undefined;
    this.#snapshot ??= {
      clusterId: this.clusterId,
      ...this.#state,
      nodes: sortedByName(this.#nodes.all(), (node) => node.name),
      storage: sortedByName(this.#storage.all(), (each) => each.class),
      leasePods: this.#leasePods.all(),
      leaseVolumes: this.#leaseVolumes.all(),
    };
    return this.#snapshot;
  }

  node(name: string): NodeInventory | undefined {
    return this.#nodes.get(name);
  }

  storageClass(name: string): StorageInventory | undefined {
    return this.#storage.get(name);
  }

  /** Readers that follow right now. */
  get subscribers(): number {
    return this.#subscribers;
  }

  /** What changed after a generation of this epoch, up to the newest; undefined when that is no longer known. */
  deltaSince(from: Generation): InventoryDelta | undefined {
    const state = this.#state;
    const changed = from.epoch === this.epoch ? this.#ring.since(from.sequence) : undefined;
    if (state === undefined || changed === undefined) return undefined;
    const { generation: to, ...rest } = state;
    const [nodes, removedNodes] = this.#nodes.found(changed.nodes);
    const [storage, removedStorage] = this.#storage.found(changed.storage);
    const [leasePods, removedLeasePods] = this.#leasePods.found(changed.leasePods);
    const [leaseVolumes, removedLeaseVolumes] = this.#leaseVolumes.found(changed.leaseVolumes);
    const changes = { nodes, removedNodes, storage, removedStorage };
    const ofLeases = { leasePods, removedLeasePods, leaseVolumes, removedLeaseVolumes };
    return { clusterId: this.clusterId, from, to, ...rest, ...changes, ...ofLeases };
  }

  /** Calls back after every generation, before `touch` returns or its timer ends. Returns what ends it. */
  onGeneration(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * First where the caller stands: a snapshot, or what changed since the generation that it has, if that is known. Then every change. One who
   * reads slowly gets one delta over several generations or a new snapshot; nothing is kept for it meanwhile. Ends when the signal aborts or
   * the feed stops.
   */
  async *subscribe(from: Generation | undefined, signal: AbortSignal): AsyncGenerator<FeedEvent, void, undefined> {
    this.#subscribers += 1;
    let position = from;
    try {
      while (!this.#isEnded(signal)) {
        const event = this.#next(position);
        if (event === undefined) {
          await this.#newer(position, signal);
        } else {
          position = event.kind === 'snapshot' ? event.snapshot.generation : event.delta.to;
          yield event;
        }
      }
    } finally {
      this.#subscribers -= 1;
    }
  }

  /** Ends every subscription. Nothing is published any more. */
  stop(): void {
    this.#isStopped = true;
    this.#publishSoon.stop();
    this.#tell();
  }

  #isEnded(signal: AbortSignal): boolean {
    return this.#isStopped || signal.aborted;
  }

  #isNews(position: Generation | undefined): boolean {
    return this.#state !== undefined && (position === undefined || !isSame(position, this.#state.generation));
  }

  #next(position: Generation | undefined): FeedEvent | undefined {
    if (!this.#isNews(position)) return undefined;
    const known = position?.epoch === this.epoch ? this.#events.get(position.sequence) : undefined;
    if (known !== undefined) return known;
    const delta = position === undefined ? undefined : this.deltaSince(position);
    if (delta !== undefined) return this.#keep(delta.from.sequence, { kind: 'delta', delta });
    const snapshot = this.current();
    return this.#events.get(undefined) ?? (snapshot && this.#keep(undefined, { kind: 'snapshot', snapshot }));
  }

  #keep(from: number | undefined, event: FeedEvent): FeedEvent {
    this.#events.set(from, event);
    return event;
  }

  async #newer(position: Generation | undefined, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!this.#isNews(position) && !this.#isEnded(signal)) return;
        forget();
        signal.removeEventListener('abort', look);
        resolve();
      };
      const forget = this.onGeneration(look);
      signal.addEventListener('abort', look, { once: true });
    });
  }

  #publish(): void {
    if (this.#isStopped || !this.#source.isReady()) return;
    const changed = { nodes: this.#takeNodes(), ...this.#takeStorage(), leasePods: this.#takeLeasePods() };
    const completeness = this.#source.completeness();
    const isSame = Object.values(changed).every(({ length }) => length === 0);
    if (isSame && isSameCompleteness(completeness, this.#state?.completeness)) return;
    const sequence = (this.#state?.generation.sequence ?? 0) + 1;
    this.#ring.push(sequence, changed);
    this.#snapshot = undefined;
    this.#events.clear();
    const generation = { epoch: this.epoch, sequence };
    this.#state = { generation, observedAt: this.#clock.now(), completeness, totals: this.#source.totals() };
    this.#tell();
  }

  #takeNodes(): string[] {
    const { nodes, removed } = this.#source.takeChanges();
    return this.#nodes.update([...nodes, ...removed], (name) => this.#source.view(name));
  }

  #takeStorage(): Pick<ChangedNames, 'storage' | 'leaseVolumes'> {
    if (!this.#isStorageTouched) return { storage: [], leaseVolumes: [] };
    this.#isStorageTouched = false;
    const now = new Map(this.#source.storage().map((each) => [each.class, each]));
    return {
      storage: this.#storage.update([...now.keys(), ...this.#storage.names()], (name) => now.get(name)),
      leaseVolumes: this.#leaseVolumes.update(this.#source.takeLeaseVolumes(), (uid) => this.#source.leaseVolume(uid)),
    };
  }

  #takeLeasePods(): string[] {
    return this.#leasePods.update(this.#source.takeLeasePods(), (uid) => this.#source.leasePod(uid));
  }

  #tell(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (thrown) {
        this.#log.error('listener of the inventory feed failed', { error: messageOf(thrown) });
      }
    }
  }
}

/** The newest snapshot, or `unavailable` with the reason why there is none. */
export function snapshotOf(feed: Pick<InventoryFeed, 'current'>): InventorySnapshot {
  const snapshot = feed.current();
  if (snapshot !== undefined) return snapshot;
  throw new StatusError('unavailable', 'the inventory has not been read completely yet: retry in a moment');
}

/** In which words the failure of a source is retried is no news: a server that is away fails in many. */
function isSameCompleteness(a: Completeness, b: Completeness | undefined): boolean {
  const told = ({ complete, stale, leftOut }: Completeness) => [
    complete,
    ...stale.map(({ source, lastContactAt }) => [source, lastContactAt]),
    ...leftOut.map(({ source, count, named }) => [source, count, named]),
  ];
  return b !== undefined && isDeepStrictEqual(told(a), told(b));
}

/** Most nodes that may have changed have, which their times tell. */
const isSameNode = (a: NodeInventory, b: NodeInventory): boolean => a.observedAt === b.observedAt && isDeepStrictEqual(a, b);

const isSame = (a: Generation, b: Generation): boolean => a.epoch === b.epoch && a.sequence === b.sequence;
