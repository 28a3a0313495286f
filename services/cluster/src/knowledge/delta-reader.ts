import { isDeepStrictEqual } from 'node:util';
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import type { Delta, Generation, LeasePod as LeasePodMessage, Node, Snapshot, StorageClass } from '@quartermaster/api/inventory';
import { type Log, messageOf, StatusError } from '@quartermaster/kernel';
import type { ClassFigures, InventoryChange, LeasePod, NodeFigures } from '../model/inventory-change.ts';
import type { CommitLevel } from '../placement/commit-level.ts';
import { type NodeCards, nodeCards } from './card-pools.ts';
import { classFigures } from './class-figures.ts';
import { leasePod } from './lease-pod.ts';
import { leaseVolume } from './lease-volume.ts';
import { nodeFigures } from './node-figures.ts';

/** The stream left something out: only a snapshot helps. */
export const leftOut = { reason: 'CHANGE_LEFT_OUT' };

type Position = NonNullable<InventoryChange['generation']>;

/** Reads snapshots and deltas of one inventory, in their order. What cannot be read of them costs that object alone. */
export class DeltaReader {
  readonly #level: CommitLevel;
  readonly #log: Log;
  readonly #cards = new Map<string, NodeCards>(); // node -> its cards
  readonly #carded = new Map<string, LeasePodMessage>(); // uid -> pod that may have cards: which, its node says
  #generation: Position | undefined;

  constructor(level: CommitLevel, log: Log) {
    this.#level = level;
    this.#log = log;
  }

  get generation(): Position | undefined {
    return this.#generation;
  }

  /** What comes next must be a snapshot. */
  forget(): void {
    this.#generation = undefined;
  }

  snapshot({ generation, observedAt, nodes, storage, leasePods, leaseVolumes }: Snapshot): InventoryChange {
    this.#cards.clear();
    this.#carded.clear();
    const figures = this.#figures(observedAt, nodes, storage);
    this.#generation = positionOf(generation);
    return {
      ...figures,
      generation: this.#generation,
      kind: 'whole',
      removedNodes: [],
      removedClasses: [],
      pods: this.#read('pod', leasePods, this.#pod).read,
      removedPods: [],
      volumes: this.#read('claim', leaseVolumes, leaseVolume).read,
      removedVolumes: [],
    };
  }

  delta(delta: Delta): InventoryChange {
    const { from, to, observedAt, nodes, removedNodes, storage, removedStorage } = delta;
    if (this.#generation === undefined || !isSame(this.#generation, from)) {
      throw new StatusError('unavailable', 'the inventory skipped a change: reading everything again', { details: leftOut });
    }
    const before = [...removedNodes, ...nodes.map(({ name }) => name)].map((name) => [name, this.#cards.get(name)] as const);
    for (const name of removedNodes) this.#cards.delete(name);
    const figures = this.#figures(observedAt, nodes, storage);
    for (const uid of delta.removedLeasePods) this.#carded.delete(uid);
    const pods = this.#read('pod', [...delta.leasePods, ...this.#otherwise(before, delta.leasePods)], this.#pod);
    const volumes = this.#read('claim', delta.leaseVolumes, leaseVolume);
    this.#generation = positionOf(to);
    return {
      ...figures,
      generation: this.#generation,
      kind: 'delta',
      removedNodes,
      removedClasses: removedStorage,
      pods: pods.read,
      removedPods: [...delta.removedLeasePods, ...pods.unread],
      volumes: volumes.read,
      removedVolumes: [...delta.removedLeaseVolumes, ...volumes.unread],
    };
  }

  #figures(observedAt: Timestamp | undefined, nodes: readonly Node[], storage: readonly StorageClass[]) {
    for (const node of nodes) this.#cards.set(node.name, nodeCards(node));
    return {
      observedAt: observedAt === undefined ? 0 : timestampMs(observedAt),
      nodes: nodes.map((node): NodeFigures => nodeFigures(node)),
      classes: storage.map((each): ClassFigures => classFigures(each, this.#level)),
    };
  }

  readonly #pod = (message: LeasePodMessage): LeasePod => {
    if (message.devices.length > 0 || Object.keys(message.extended).length > 0) this.#carded.set(message.uid, message);
    else this.#carded.delete(message.uid);
    return leasePod(message, this.#cards.get(message.node));
  };

  /** Pods that were told before, on nodes that say something else of their cards now. */
  #otherwise(
    before: readonly (readonly [string, NodeCards | undefined])[],
    toldNow: readonly LeasePodMessage[],
  ): readonly LeasePodMessage[] {
    const changed = new Set(before.filter(([name, cards]) => !isDeepStrictEqual(cards, this.#cards.get(name))).map(([name]) => name));
    if (changed.size === 0) return [];
    const told = new Set(toldNow.map(({ uid }) => uid));
    return [...this.#carded.values()].filter(({ uid, node }) => changed.has(node) && !told.has(uid));
  }

  /** One that cannot be read is counted where it is, and is nobody's: a promise for it is counted beside it. */
  #read<M extends LeaseRecord, R>(what: string, messages: readonly M[], readOne: (message: M) => R) {
    const [read, unread]: [R[], string[]] = [[], []];
    for (const message of messages) {
      try {
        read.push(readOne(message));
      } catch (thrown) {
        const { uid, namespace, name } = message;
        unread.push(uid);
        this.#log.warn(`a ${what} of the inventory cannot be read`, { namespace, name, error: messageOf(thrown) });
      }
    }
    return { read, unread };
  }
}

type LeaseRecord = Pick<LeasePodMessage, 'uid' | 'namespace' | 'name'>;

function positionOf(generation: Generation | undefined): Position {
  if (generation === undefined)
    throw new StatusError('unavailable', 'the inventory sent a state without a generation', { details: leftOut });
  return { epoch: generation.epoch, sequence: generation.sequence };
}

export const isSame = (held: Position, other: Position | undefined): boolean =>
  held.epoch === other?.epoch && held.sequence === other.sequence;
