import { type Node, Sellability } from '@quartermaster/api/inventory';
import { messageOf } from '@quartermaster/kernel';
import type { NodeAmounts, NodeFigures } from '../model/inventory-change.ts';
import { groupKey } from '../placement/card-offer.ts';
import type { Reason } from '../placement/stock-facts.ts';
import { cardPools, type ReadGroup, readGroups } from './card-pools.ts';
import { readAmount, safe } from './safe-amount.ts';

/** A node as the inventory tells of it. One that cannot be read takes nothing new. */
export function nodeFigures(node: Node): NodeFigures {
  try {
    return readNode(node);
  } catch (thrown) {
    return unreadableNode(node.name, node.uid, messageOf(thrown));
  }
}

function readNode(node: Node): NodeFigures {
  const cpu = readAmount(node.cpu, 'cpu');
  const memory = readAmount(node.memory, 'memory', safe(node.ram, 'ram'));
  const ephemeral = readAmount(node.ephemeralStorage, 'ephemeral_storage');
  const unread = node.conditions.find(({ code }) => code === 'VolumesUnread');
  const groups = readGroups(node);
  const pods = {
    allocatable: node.podLimit === undefined ? undefined : safe(node.podLimit, 'pod_limit'),
    allocated: safe(node.pods, 'pods'),
  };
  const amounts = (of: 'allocatable' | 'allocated'): NodeAmounts => ({
    cpuMillis: cpu[of],
    memoryBytes: memory[of],
    ephemeralBytes: ephemeral[of],
    pods: pods[of],
    cards: cardsOf(groups, of),
  });
  return {
    facts: {
      name: node.name,
      uid: node.uid,
      heldBack: heldBack(node),
      cpuMillis: cpu.free,
      memoryBytes: memory.free,
      ephemeralBytes: ephemeral.free,
      podSlots: pods.allocatable === undefined ? undefined : pods.allocatable - pods.allocated,
      ephemeralUnknown: unread && { code: unread.code, message: unread.message },
      cards: cardPools(groups),
      storageClasses: node.storageClasses,
    },
    allocatable: amounts('allocatable'),
    allocated: amounts('allocated'),
    toleratedTaints: node.toleratedTaints.map(({ key, value, effect }) => ({ key, value, effect })),
  };
}

function cardsOf(groups: readonly ReadGroup[], of: 'allocatable' | 'allocated'): ReadonlyMap<string, number> {
  const cards = new Map<string, number>();
  for (const each of groups) cards.set(groupKey(each.group), (cards.get(groupKey(each.group)) ?? 0) + each[of]);
  return cards;
}

function heldBack({ sellability, reasons }: Node): readonly Reason[] {
  if (sellability === Sellability.SELLABLE) return [];
  if (reasons.length === 0) return [{ code: 'NotSellable', message: 'the inventory does not say that it can be sold' }];
  return reasons.map(({ code, message }) => ({ code, message }));
}

export function unreadableNode(name: string, uid: string, why: string): NodeFigures {
  const nothing: NodeAmounts = { cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, pods: 0, cards: new Map() };
  const reason = { code: 'FiguresUnreadable', message: `its figures cannot be read: ${why}` };
  const facts = { name, uid, heldBack: [reason], cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, cards: [], storageClasses: [] };
  return { facts, allocatable: nothing, allocated: nothing };
}
