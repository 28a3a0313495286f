import type { LocalClass, Need, Needs } from './needs.ts';
import { type NodeState, type Room, roomText } from './node-state.ts';
import type { ClassFacts } from './stock-facts.ts';
import { bytesOn, copiesOf, ephemeralCopies, freeByNode, isEphemeralOn, type StorageClasses, type WideVolume } from './storage-classes.ts';

/** What is left of a node that a draft has put something on. */
interface DraftRoom extends Room {
  /** By the local classes that the request may draw on: bytes that are left, and volumes that the draft has there. */
  readonly local: { left: number; volumes: number }[];
  replicas: number;
}

interface StorageShortage {
  /** Undefined where it is ephemeral storage, with the volumes that lie in it. */
  readonly facts: ClassFacts | undefined;
  readonly needs: number;
  readonly has: number;
}

/** No cards. */
export const noOffer = -1;

/** A placement in the making: the rooms of the few nodes that it has touched, beside the stock, which it never changes. */
export class Draft {
  readonly #touched = new Map<NodeState, DraftRoom>();
  readonly #storage: StorageClasses;
  readonly #local: readonly LocalClass[];
  readonly #wide: readonly WideVolume[];

  constructor(storage: StorageClasses, { localClasses, wideVolumes }: Pick<Needs, 'localClasses' | 'wideVolumes'>) {
    this.#storage = storage;
    this.#local = localClasses;
    this.#wide = wideVolumes;
  }

  get touched(): Iterable<NodeState> {
    return this.#touched.keys();
  }

  has(node: NodeState): boolean {
    return this.#touched.has(node);
  }

  roomOf(node: NodeState): Readonly<Room> {
    return this.#touched.size === 0 ? node.room : (this.#touched.get(node) ?? node.room);
  }

  /** Beside the volumes of the request that may come to lie there, wherever its replicas go. */
  ephemeralRoom({ name }: NodeState, room: Readonly<Room>): number {
    return this.#wide.length === 0 ? room.ephemeral : room.ephemeral - bytesOn(this.#wide, name);
  }

  /** Whether one replica fits, cards aside. */
  fits(need: Need, node: NodeState, room: Readonly<Room>): boolean {
    if (need.cpu > room.cpu || need.memory > room.memory || need.pods > room.pods || !canUse(node, need)) return false;
    return this.#local.length === 0
      ? need.ephemeral === 0 || need.ephemeral <= this.ephemeralRoom(node, room)
      : this.#storageCapacity(need, node, room) >= 1;
  }

  /** What of the storage of the node is too little for one replica. Of a class, with what others take of its space, in bytes of volumes of that class. */
  storageShortages(need: Need, node: NodeState): readonly StorageShortage[] {
    const found: StorageShortage[] = [];
    const room = this.roomOf(node);
    const check = (facts: ClassFacts | undefined, needs: number, has: number): void => {
      if (needs > 0 && needs > has) found.push({ facts, needs, has });
    };
    check(undefined, ephemeralOf(need, node), this.ephemeralRoom(node, room));
    for (const [at, { facts, space }] of this.#local.entries()) {
      const { volumes, bytes } = this.#localOf(need, node, at);
      if (volumes === 0 && !isCounted(node, facts)) continue;
      const copies = copiesOf(facts);
      const pods = ephemeralCopies(space, node.name);
      const left = this.#localRoom(node, at);
      if (bytes === need.ephemeral * pods) check(undefined, need.ephemeral, Math.floor(left / Math.max(pods, 1)));
      else check(facts, Math.ceil(bytes / copies), Math.floor(left / copies));
    }
    return found;
  }

  /** How many replicas of the need the node could take if nothing else came. */
  capacity(need: Need, node: NodeState): number {
    const room = this.roomOf(node);
    if (!canUse(node, need)) return 0;
    const own = Math.min(times(room.cpu, need.cpu), times(room.memory, need.memory), times(room.pods, need.pods));
    const most = Math.min(own, this.#storageCapacity(need, node, room));
    if (need.gpus === undefined || most === 0) return most;
    let cards = 0;
    for (const [at, { kind }] of node.offers.entries()) if (need.serves(kind)) cards += times(room.cards[at] ?? 0, need.gpus.count);
    return Math.min(most, cards);
  }

  /** Takes the room of so many replicas, or gives it back where `count` is negative. */
  take(need: Need, node: NodeState, offer: number, count: number): void {
    const room = this.#touch(node);
    room.replicas += count;
    if (room.replicas === 0) {
      this.#touched.delete(node);
      return;
    }
    room.cpu -= need.cpu * count;
    room.memory -= need.memory * count;
    room.pods -= need.pods * count;
    if (need.gpus !== undefined) room.cards[offer] = (room.cards[offer] ?? 0) - need.gpus.count * count;
    room.ephemeral -= ephemeralOf(need, node) * count;
    for (const [at, local] of room.local.entries()) {
      const { volumes, bytes } = this.#localOf(need, node, at);
      local.volumes += volumes * count;
      local.left -= bytes * count;
    }
  }

  /** The same for drafts that left the same of the same nodes, or of their twins. */
  text(): string {
    const parts: string[] = [];
    for (const node of this.#touched.keys()) parts.push(this.textOf(node));
    return parts.sort().join('/');
  }

  /** The same for nodes that stand for each other in the rest of the draft. */
  textOf(node: NodeState): string {
    const room = this.#touched.get(node);
    if (room === undefined) return node.key;
    return `${node.key}>${roomText(room)};${room.local.map(({ left, volumes }) => `${left}:${volumes}`).join(',')}`;
  }

  /** Orders nodes by what they are and what is left of them, never by what they are called; 0 for those that stand for each other. */
  compare(a: NodeState, b: NodeState): number {
    if (a.key !== b.key) return a.key < b.key ? -1 : 1;
    const [own, its] = [this.#touched.get(a), this.#touched.get(b)];
    if (own === undefined || its === undefined) return (own === undefined ? 0 : 1) - (its === undefined ? 0 : 1);
    let difference = own.cpu - its.cpu || own.memory - its.memory || own.ephemeral - its.ephemeral;
    // Without a limit both are infinite, whose difference is no number.
    if (difference === 0 && own.pods !== its.pods) difference = own.pods - its.pods;
    for (let at = 0; difference === 0 && at < own.cards.length; at += 1) difference = (own.cards[at] ?? 0) - (its.cards[at] ?? 0);
    for (let at = 0; difference === 0 && at < own.local.length; at += 1) {
      const [one, other] = [own.local[at], its.local[at]];
      difference = (one?.left ?? 0) - (other?.left ?? 0) || (one?.volumes ?? 0) - (other?.volumes ?? 0);
    }
    return difference;
  }

  #touch(node: NodeState): DraftRoom {
    const before = this.#touched.get(node);
    if (before !== undefined) return before;
    const local = this.#local.map((_, at) => ({ left: this.#localRoom(node, at), volumes: 0 }));
    const room = { ...node.room, cards: node.room.cards.slice(), local, replicas: 0 };
    this.#touched.set(node, room);
    return room;
  }

  #storageCapacity(need: Need, node: NodeState, room: Readonly<Room>): number {
    let most = times(this.ephemeralRoom(node, room), ephemeralOf(need, node));
    const drafted = this.#local.length === 0 ? undefined : this.#touched.get(node)?.local;
    for (let at = 0; at < this.#local.length; at += 1) {
      const { volumes, bytes } = this.#localOf(need, node, at);
      if (volumes === 0 && (drafted?.[at]?.volumes ?? 0) === 0 && !isCounted(node, this.#local[at]?.facts)) continue;
      most = Math.min(most, times(drafted?.[at]?.left ?? this.#localRoom(node, at), bytes));
    }
    return most;
  }

  #localRoom(node: NodeState, at: number): number {
    const facts = this.#local[at]?.facts;
    if (facts === undefined) return 0;
    return this.#storage.localRoom(facts, node.name, node.heldOfClass, node.heldEphemeral) ?? -1;
  }

  /** What a replica takes of the space of a class, copies counted, and how many of its volumes are of that very class. */
  #localOf(need: Need, node: NodeState, at: number): { readonly volumes: number; readonly bytes: number } {
    const local = this.#local[at];
    if (local === undefined) return { volumes: 0, bytes: 0 };
    let [volumes, bytes] = [0, need.ephemeral * ephemeralCopies(local.space, node.name)];
    for (const volume of need.localVolumes) {
      if (volume.facts === local.facts) volumes += 1;
      if (local.space.classes.includes(volume.facts)) bytes += volume.bytes * copiesOf(volume.facts);
    }
    return { volumes, bytes };
  }
}

/**
 * A class of which nothing is promised on this node, by this draft or before it, may be overdrawn by those that share its space. Of one that nobody tells of on this node
 * there is nothing to compare with: what it was promised still counts in what it shares.
 */
const isCounted = (node: NodeState, facts: ClassFacts | undefined): boolean =>
  facts !== undefined && freeByNode(facts).has(node.name) && node.heldOfClass(facts.name) > 0;

export const canUse = (node: NodeState, need: Need): boolean =>
  need.classes.length === 0 || need.classes.every((name) => node.usableClasses.has(name));

/** With the volumes that lie in the node's ephemeral storage. */
function ephemeralOf(need: Need, node: NodeState): number {
  let sum = need.ephemeral;
  for (const { facts, bytes } of need.localVolumes) if (isEphemeralOn(facts, node.name)) sum += bytes;
  return sum;
}

/** How many times the amount is in what is left; anything for nothing, even where too much is promised already. */
const times = (left: number, amount: number): number => (amount === 0 ? Number.POSITIVE_INFINITY : Math.max(Math.floor(left / amount), 0));
