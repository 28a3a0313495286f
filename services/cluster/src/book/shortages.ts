import type { CardHold, NodeHold } from '../placement/holds.ts';
import { isAgainst, type NodeState } from '../placement/node-state.ts';
import type { Stock } from '../placement/stock.ts';
import type { ClassFacts } from '../placement/stock-facts.ts';
import { copiesOf } from '../placement/storage-classes.ts';

/** How much of what is promised in one place is not there. */
export interface Shortage {
  /** cpu, memory, ephemeral-storage, pods, the resource name of cards (`<name>=<group>` by a claim), `storage/<class>`, ports or leased-ips. */
  readonly resource: string;
  /** In millicores, bytes or pieces. */
  readonly missing: number;
}

/** Of a node, and of everything on it that is gone with it. Nothing of one that is held back: what such a node has free concerns nobody until it takes work again. */
export function shortagesOnNode(stock: Stock, node: NodeState, holds: readonly NodeHold[]): readonly Shortage[] {
  if (holds.length === 0 || (node.facts?.heldBack.length ?? 0) > 0) return [];
  const { cpu, memory, ephemeral, pods } = node.room;
  const classes = new Set(holds.flatMap(({ volumes }) => [...volumes.keys()]));
  const rooms: (readonly [resource: string, room: number])[] = [
    ['cpu', cpu],
    ['memory', memory],
    ['ephemeral-storage', ephemeral],
    ['pods', pods],
    ...[...cardRooms(node, holds)].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ...[...classes].toSorted().map((name) => [`storage/${name}`, localRoom(stock, node, name)] as const),
  ];
  return rooms.flatMap(([resource, room]) => {
    if (room >= 0) return [];
    const held = holds.reduce((sum, hold) => sum + heldOf(stock, node.name, hold, resource), 0);
    return held === 0 ? [] : [{ resource, missing: Math.min(-room, held) }];
  });
}

/** What is left of a class whose space is the cluster's, for volumes of that class. Nothing is missing while nobody knows. */
export function wideRoom({ storage }: Stock, name: string): number {
  const facts = storage.get(name);
  return facts === undefined ? 0 : withoutCopies(facts, storage.room(facts) ?? 0);
}

/** What a hold takes of a resource of its node. */
export function heldOf({ storage }: Stock, node: string, hold: NodeHold, resource: string): number {
  switch (resource) {
    case 'cpu':
      return hold.cpuMillis;
    case 'memory':
      return hold.memoryBytes;
    case 'ephemeral-storage':
      return hold.ephemeralBytes + storage.heldOfEphemeral(node, hold.volumes);
    case 'pods':
      return hold.pods;
    default:
      if (resource.startsWith('storage/')) return hold.volumes.get(resource.slice('storage/'.length)) ?? 0;
      return hold.cards.reduce((sum, card) => (isOf(card, resource) ? sum + card.count : sum), 0);
  }
}

const cardsKey = ({ resource, group }: Pick<CardHold, 'resource' | 'group'>): string =>
  group === undefined ? resource : `${resource}=${group}`;

/** A hold without a group counts against each of them; where the plugin picks, every hold counts. */
function isOf(card: CardHold, key: string): boolean {
  const [resource = '', group] = key.split('=');
  return isAgainst(card, { resource, group });
}

/** Of the offers that held cards count against. Where there is none, all of them are missing. */
function cardRooms({ offers, room }: NodeState, holds: readonly NodeHold[]): ReadonlyMap<string, number> {
  const rooms = new Map<string, number>();
  for (const card of holds.flatMap(({ cards }) => cards)) {
    const counted = offers.flatMap(({ kind }, at) => (isOf(card, cardsKey(kind)) ? [[cardsKey(kind), room.cards[at] ?? 0] as const] : []));
    for (const [key, left] of counted) rooms.set(key, left);
    if (counted.length === 0) rooms.set(cardsKey(card), (rooms.get(cardsKey(card)) ?? 0) - card.count);
  }
  return rooms;
}

/** Nothing is missing while nobody knows. */
function localRoom({ storage }: Stock, { name: node, facts: present, heldOfClass, heldEphemeral }: NodeState, name: string): number {
  const facts = storage.get(name);
  if (typeof facts?.freeBytes !== 'object') return 0;
  const room = storage.localRoom(facts, node, heldOfClass, heldEphemeral);
  if (present === undefined) return -heldOfClass(name);
  if (room === undefined) return 0;
  return withoutCopies(facts, room);
}

/** Rounded down: what is missing is a whole byte. */
const withoutCopies = (facts: ClassFacts, room: number): number => Math.floor(room / copiesOf(facts));
