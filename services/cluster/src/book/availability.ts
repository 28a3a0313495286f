import type { ClassFigures } from '../model/inventory-change.ts';
import { promisable } from '../placement/commit-level.ts';
import type { CardGroup, Reason } from '../placement/stock-facts.ts';
import { copiesOf, freeByNode, isLocal } from '../placement/storage-classes.ts';
import { cardAvailability } from './card-availability.ts';
import { addAllocatable, addRoom, noAmount, type ReservableAmount } from './reservable-amount.ts';
import type { ReservationBook } from './reservation-book.ts';
import { addHeld, addNodeHold, noResources, type Resources } from './resources.ts';

/**
 * What can be promised now, over all nodes. A request that is less than this may still find no node for one of its replicas. Of nodes and pools,
 * allocatable - allocated - pending - active = available - overcommitted: nodes that are gone or take nothing new have nothing allocatable, so that what is promised
 * on them is beyond what there is. Of ephemeral storage less is available than that where volumes are, or may come to be, on the same filesystem: they have it, and are
 * counted with their storage classes.
 */
export interface Availability {
  readonly cpu: ReservableAmount;
  readonly memory: ReservableAmount;
  readonly ephemeralStorage: ReservableAmount;
  readonly cards: readonly { readonly group: CardGroup; readonly amount: ReservableAmount }[];
  readonly storage: readonly StorageAvailability[];
  /** Undefined until it is known which are in use. */
  readonly ports: ReservableAmount | undefined;
  /** Undefined without a fresh answer. */
  readonly ips: ReservableAmount | undefined;
}

export interface StorageAvailability {
  readonly storageClass: string;
  readonly performance: string | undefined;
  /** Undefined while unknown. */
  readonly amount: ReservableAmount | undefined;
  /** Why nothing of it can be promised. */
  readonly refusal: Reason | undefined;
}

interface Held {
  readonly pending: Resources;
  readonly active: Resources;
  /** Of both, what is on nodes that take no work. */
  readonly stranded: Resources;
}

/** Looks at every node and reservation once. */
export function availability(book: ReservationBook): Availability {
  const held = heldOf(book);
  const { ports, ips } = poolAvailability(book, held);
  return {
    cpu: nodeAmount(book, held, 'cpuMillis', 'cpu'),
    memory: nodeAmount(book, held, 'memoryBytes', 'memory'),
    ephemeralStorage: nodeAmount(book, held, 'ephemeralBytes', 'ephemeral'),
    cards: cardAvailability(book),
    storage: [...book.classes].map((figures) => storageAvailability(book, held, figures)),
    ports,
    ips,
  };
}

function heldOf({ entries, stock }: ReservationBook): Held {
  const held = { pending: noResources(), active: noResources(), stranded: noResources() };
  for (const { reservation, net } of entries) {
    addHeld(held[reservation.phase], net.holds);
    for (const [name, hold] of net.holds.nodes) if (stock.node(name)?.takesWork !== true) addNodeHold(held.stranded, hold);
  }
  return held;
}

function nodeAmount(
  { nodes, stock, headroom }: ReservationBook,
  { pending, active, stranded }: Held,
  what: 'cpuMillis' | 'memoryBytes' | 'ephemeralBytes',
  room: 'cpu' | 'memory' | 'ephemeral',
): ReservableAmount {
  const amount = { ...noAmount(), pending: pending[what], active: active[what], overcommitted: stranded[what] };
  for (const { facts, allocatable, allocated } of nodes) {
    const node = stock.node(facts.name);
    if (node?.takesWork !== true) continue;
    addAllocatable(amount, allocatable[what], headroom[what]);
    amount.allocated += allocated[what];
    addRoom(amount, node.room[room]);
  }
  return amount;
}

/** Of a node-local class, on nodes that take new work. */
function storageAvailability(book: ReservationBook, { pending, active, stranded }: Held, figures: ClassFigures): StorageAvailability {
  const { stock, headroom, storageLevel } = book;
  const { facts, allocatableBytes, allocatedBytes = 0 } = figures;
  const { name, performance, refusal } = facts;
  if (facts.freeBytes === undefined || allocatableBytes === undefined)
    return { storageClass: name, performance, amount: undefined, refusal };
  const amount = {
    ...noAmount(),
    allocated: allocatedBytes,
    pending: pending.storage.get(name) ?? 0,
    active: active.storage.get(name) ?? 0,
    overcommitted: isLocal(facts) ? (stranded.storage.get(name) ?? 0) : 0,
  };
  const nodes = [...freeByNode(facts).keys()].map((each) => stock.node(each)).filter((each) => each?.takesWork === true);
  const rooms = isLocal(facts)
    ? nodes.map((node) => node && stock.storage.localRoom(facts, node.name, node.heldOfClass, node.heldEphemeral))
    : [stock.storage.room(facts)];
  for (const room of rooms) addRoom(amount, Math.floor((room ?? 0) / copiesOf(facts)));
  addAllocatable(amount, promisable(allocatableBytes, storageLevel), (headroom.persistentBytes ?? 0) * rooms.length);
  return { storageClass: name, performance, amount, refusal };
}

function poolAvailability(
  { nodePorts, ipPool, headroom, portQuantity, stock }: ReservationBook,
  { pending, active }: Held,
): Pick<Availability, 'ports' | 'ips'> {
  const pool = (of: 'ports' | 'ips', size: number, free: number, room: number): ReservableAmount => {
    const amount = { ...noAmount(), allocated: size - free, pending: pending[of], active: active[of] };
    addAllocatable(amount, size, headroom[of]);
    addRoom(amount, room);
    return amount;
  };
  const freePorts = stock.freePorts + (headroom.ports ?? 0) + pending.ports + active.ports;
  return {
    ports: nodePorts && pool('ports', portQuantity, freePorts, stock.freePorts),
    ips: ipPool && pool('ips', ipPool.total, ipPool.free, Number(stock.freeIps)),
  };
}
