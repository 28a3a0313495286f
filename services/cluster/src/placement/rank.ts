import type { Need } from './needs.ts';
import { shelfOf, tierOf } from './node-index.ts';
import type { NodeState, Room } from './node-state.ts';

/**
 * How good a place for one replica is; less is better, and what comes first counts more. `waste` is what others would miss: a whole node broken into for a part of
 * it, or cards on a node for work that needs none. Then replicas are kept apart. Then the place with the least to spare, and the lesser card.
 */
export interface Rank {
  waste: number;
  apart: number;
  spare: number;
  value: number;
  cpu: number;
  memory: number;
}

export const blankRank = (): Rank => ({ waste: 0, apart: 0, spare: 0, value: 0, cpu: 0, memory: 0 });

export function rankInto(rank: Rank, need: Need, node: NodeState, room: Readonly<Room>, offer: number, apart: number): void {
  const cards = need.gpus?.count;
  rank.waste = cards === undefined ? tierOf(node, room.cards) : wasteOf(cards, node, room, offer);
  rank.apart = apart;
  rank.spare = cards === undefined ? shelfOf(room.cpu) : (room.cards[offer] ?? 0) - cards;
  rank.value = cards === undefined ? 0 : (node.offers[offer]?.kind.value ?? 0);
  rank.cpu = room.cpu - need.cpu;
  rank.memory = room.memory - need.memory;
}

export function compareRanks(a: Rank, b: Rank): number {
  return a.waste - b.waste || a.apart - b.apart || a.spare - b.spare || a.value - b.value || a.cpu - b.cpu || a.memory - b.memory;
}

/** Of one node, for a replica with so many cards. */
export function compareOffers(count: number, node: NodeState, room: Readonly<Room>, a: number, b: number): number {
  return (
    wasteOf(count, node, room, a) - wasteOf(count, node, room, b) ||
    (room.cards[a] ?? 0) - (room.cards[b] ?? 0) ||
    (node.offers[a]?.kind.value ?? 0) - (node.offers[b]?.kind.value ?? 0)
  );
}

function wasteOf(count: number, { offers }: NodeState, { cards }: Readonly<Room>, offer: number): number {
  const size = offers[offer]?.size ?? 0;
  return (cards[offer] ?? 0) >= size && count < size ? 1 : 0;
}

/** Nodes that are alike go by uid, which neither tenants nor operators choose. */
export const compareUids = (a: NodeState, b: NodeState): number => (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0);
