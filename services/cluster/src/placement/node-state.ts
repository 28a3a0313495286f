import { type Offer, offersOf } from './card-offer.ts';
import type { CardHold, NodeHold } from './holds.ts';
import type { Twins } from './node-index.ts';
import type { ClassFacts, Headroom, NodeFacts } from './stock-facts.ts';
import { ephemeralCopies, isEphemeralOn, type StorageClasses } from './storage-classes.ts';

/** What is left in one place. Negative where more is promised than there is. */
export interface Room {
  cpu: number;
  memory: number;
  ephemeral: number;
  /** Infinite where nobody knows how many there are. */
  pods: number;
  /** By the offers of the node. */
  cards: number[];
}

/** What does not change with holds. One object for all nodes that have it in common. */
export interface Shape {
  readonly text: string;
  readonly number: number;
}

interface Held {
  cpu: number;
  memory: number;
  ephemeral: number;
  pods: number;
  /** Also those of which nothing is held any more. */
  readonly cards: (Pick<CardHold, 'resource' | 'group'> & { count: number })[];
  readonly volumes: Map<string, number>; // storage class -> bytes
}

/** One node: what the inventory says of it, what is held of it, and what follows. */
export class NodeState {
  readonly name: string;
  /** Those among whom it is found, and those that it was last of: of the index. */
  twins: Twins | undefined;
  lastTwins: Twins | undefined;
  readonly #held: Held = { cpu: 0, memory: 0, ephemeral: 0, pods: 0, cards: [], volumes: new Map() };
  #facts: NodeFacts | undefined;
  #shape = noShape;
  #offers: readonly Offer[] = [];
  readonly #room: Room = { cpu: 0, memory: 0, ephemeral: 0, pods: 0, cards: [] };
  /**
   * Of the node-local classes that it can use or of which something is held: what is left, and how that hangs together with its ephemeral storage. Then which
   * cluster-wide classes may take of its ephemeral storage.
   */
  #local: readonly number[] = none;
  /** Names of the node-local classes of which something is held. */
  #heldLocal = '';
  #besideVolumes: number | undefined;
  #hash = 0;
  #key: string | undefined;
  usableClasses: ReadonlySet<string> = new Set();

  constructor(name: string) {
    this.name = name;
  }

  /** Undefined while only holds are known of it. */
  get facts(): NodeFacts | undefined {
    return this.#facts;
  }

  get uid(): string {
    return this.#facts?.uid ?? '';
  }

  get offers(): readonly Offer[] {
    return this.#offers;
  }

  /** Changes with the node: to be copied by whoever wants to know later what was left. */
  get room(): Readonly<Room> {
    return this.#room;
  }

  get takesWork(): boolean {
    return this.#facts !== undefined && this.#facts.heldBack.length === 0;
  }

  get isForgettable(): boolean {
    const { cpu, memory, ephemeral, pods, cards, volumes } = this.#held;
    if (this.#facts !== undefined || cpu !== 0 || memory !== 0 || ephemeral !== 0 || pods !== 0 || volumes.size > 0) return false;
    return cards.every(({ count }) => count === 0);
  }

  readonly heldOfClass = (name: string): number => this.#held.volumes.get(name) ?? 0;

  get heldEphemeral(): number {
    return this.#held.ephemeral;
  }

  /** What is left of its ephemeral storage where some of it is held; undefined where nothing is, or it is gone. */
  get besideVolumes(): number | undefined {
    return this.#besideVolumes;
  }

  /**
   * Said at once of most nodes with every promise: that nothing held of it is missing. Nothing is below zero, held cards are among its offers, and no volumes are held,
   * whose room would have to be worked out.
   */
  get hasPlainRoom(): boolean {
    const { cpu, memory, ephemeral, pods, cards } = this.#room;
    if (cpu < 0 || memory < 0 || ephemeral < 0 || pods < 0 || this.#held.volumes.size > 0) return false;
    for (const left of cards) if (left < 0) return false;
    for (const card of this.#held.cards) if (card.count !== 0 && !this.#offers.some(({ kind }) => isAgainst(card, kind))) return false;
    return true;
  }

  /** Whether no request can tell them apart. */
  isLike(other: NodeState): boolean {
    const [own, its] = [this.#room, other.#room];
    return (
      own.cpu === its.cpu &&
      own.memory === its.memory &&
      own.ephemeral === its.ephemeral &&
      own.pods === its.pods &&
      this.#shape === other.#shape &&
      sameNumbers(own.cards, its.cards) &&
      this.#heldLocal === other.#heldLocal &&
      sameNumbers(this.#local, other.#local)
    );
  }

  /** Equal for nodes that are alike. */
  get hash(): number {
    return this.#hash;
  }

  /** The same exactly for nodes that are alike, however they came to be what they are. */
  get key(): string {
    return (this.#key ??= `${roomText(this.#room)}|${this.#local.join(',')}|${this.#heldLocal}|${this.#shape.text}`);
  }

  /** refresh must follow, here and after change. */
  setFacts(facts: NodeFacts | undefined, headroom: Headroom, shapeOf: (text: string) => Shape): void {
    this.#facts = facts;
    this.#offers = offersOf(facts?.cards ?? [], headroom.cards ?? 0);
    this.usableClasses = new Set(facts?.storageClasses.toSorted());
    const offers = this.#offers.map(({ kind, size }) => [kind.key, size]);
    this.#shape = facts === undefined ? noShape : shapeOf(JSON.stringify([facts.spreadKey ?? null, [...this.usableClasses], offers]));
  }

  /** Takes what a reservation holds, or gives it back with the sign -1: exactly, since amounts are whole numbers. */
  change(hold: NodeHold, sign: 1 | -1): void {
    const held = this.#held;
    held.cpu += sign * hold.cpuMillis;
    held.memory += sign * hold.memoryBytes;
    held.ephemeral += sign * hold.ephemeralBytes;
    held.pods += sign * hold.pods;
    for (const card of hold.cards) this.#changeCards(card, sign);
    if (hold.volumes.size === 0) return;
    for (const [name, bytes] of hold.volumes) {
      const sum = this.heldOfClass(name) + sign * bytes;
      if (sum === 0) held.volumes.delete(name);
      else held.volumes.set(name, sum);
    }
  }

  refresh(storage: StorageClasses, headroom: Headroom): void {
    const facts = this.#facts;
    const held = this.#held;
    const volumes = held.volumes.size === 0 ? 0 : storage.heldOfEphemeral(this.name, held.volumes);
    const promised = held.ephemeral + volumes;
    const own = (facts?.ephemeralBytes ?? 0) - (headroom.ephemeralBytes ?? 0) - promised;
    const known = own - storage.wideHeldOn(this.name);
    // What may be there is kept free, and is not missing.
    const beside = Math.max(known - storage.maybeHeldOn(this.name), Math.min(known, 0));
    // Nothing is missing of what nobody was promised: then volumes have what is their class's.
    const left = promised > 0 ? beside : Math.max(beside, Math.min(own, 0));
    const ephemeral = facts?.ephemeralUnknown === undefined ? left : Math.min(facts.ephemeralBytes, 0);
    // What is missing on a node that is held back concerns nobody until it takes work again; what is promised there is still not for volumes.
    this.#besideVolumes = promised > 0 && facts !== undefined ? Math.max(ephemeral, this.takesWork ? ephemeral : 0) : undefined;
    const cpu = (facts?.cpuMillis ?? 0) - (headroom.cpuMillis ?? 0) - held.cpu;
    const memory = (facts?.memoryBytes ?? 0) - (headroom.memoryBytes ?? 0) - held.memory;
    const pods = (facts?.podSlots ?? Number.POSITIVE_INFINITY) - held.pods;
    const room = this.#room;
    room.cpu = cpu;
    room.memory = memory;
    room.ephemeral = ephemeral;
    room.pods = pods;
    const { cards } = room;
    cards.length = this.#offers.length;
    for (let at = 0; at < cards.length; at += 1) {
      const offer = this.#offers[at] as Offer;
      cards[at] = offer.free - this.#heldCards(offer.kind);
    }
    const heldLocal = held.volumes.size === 0 ? noClasses : storage.localOf(held.volumes.keys());
    this.#heldLocal = heldLocal.length === 0 ? '' : heldLocal.map(({ name }) => name).join();
    this.#local = this.#localNumbers(storage, heldLocal);
    this.#key = undefined;
    let hash = mixed(mixed(mixed(this.#shape.number, cpu), memory), ephemeral);
    if (pods !== Number.POSITIVE_INFINITY) hash = mixed(hash, pods);
    for (const free of cards) hash = mixed(hash, free);
    for (const number of this.#local) hash = mixed(hash, number);
    this.#hash = hash;
  }

  #changeCards({ resource, group, count }: CardHold, sign: 1 | -1): void {
    const { cards } = this.#held;
    for (const held of cards) {
      if (held.resource !== resource || held.group !== group) continue;
      held.count += sign * count;
      return;
    }
    cards.push({ resource, group, count: sign * count });
  }

  #heldCards(kind: Offer['kind']): number {
    let sum = 0;
    for (const held of this.#held.cards) if (isAgainst(held, kind)) sum += held.count;
    return sum;
  }

  #localNumbers(storage: StorageClasses, held: readonly ClassFacts[]): readonly number[] {
    const flags = storage.wideFlags(this.name);
    if (this.usableClasses.size === 0 && flags.length === 0 && held.length === 0) return none;
    const numbers: number[] = [];
    const usable = storage.localOf(this.usableClasses);
    for (const facts of held.length === 0 ? usable : new Set([...usable, ...held])) {
      const room = storage.localRoom(facts, this.name, this.heldOfClass, this.heldEphemeral) ?? Number.NEGATIVE_INFINITY;
      numbers.push(room, ephemeralCopies(storage.spaceOf(facts), this.name), isEphemeralOn(facts, this.name) ? 1 : 0);
    }
    numbers.push(...flags);
    return numbers;
  }
}

/** A hold that names no group counts against each; where the plugin picks, all holds count against the pool. */
export const isAgainst = (held: Pick<CardHold, 'resource' | 'group'>, { resource, group }: Pick<CardHold, 'resource' | 'group'>): boolean =>
  held.resource === resource && (group === undefined || held.group === undefined || held.group === group);

const none: readonly number[] = [];
const noClasses: readonly ClassFacts[] = [];
const noShape: Shape = { text: '', number: -1 };

export const roomText = (room: Readonly<Room>): string =>
  `${room.cpu},${room.memory},${room.ephemeral},${room.pods},${room.cards.join(',')}`;

/** Both halves of the number count: amounts of memory are often multiples of 2³². */
function mixed(hash: number, number: number): number {
  const low = Math.imul(hash ^ number, 0x9e3779b1);
  return Math.imul((low ^ (low >>> 15)) + Math.floor(number / 2 ** 32), 0x85ebca6b);
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (a[at] !== b[at]) return false;
  return true;
}
