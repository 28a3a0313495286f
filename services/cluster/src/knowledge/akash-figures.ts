import type { GPU, GPUInfo, Node, ResourcePair, Storage } from '@quartermaster/api/akash-inventory';
import { bytes, messageOf, nanosPerUnit, parseQuantity, StatusError } from '@quartermaster/kernel';
import type { ClassFigures, NodeAmounts, NodeFigures } from '../model/inventory-change.ts';
import { groupKey } from '../placement/card-offer.ts';
import type { CommitLevel } from '../placement/commit-level.ts';
import type { CardGroup, CardPool } from '../placement/stock-facts.ts';
import { committed, unreadableClass } from './class-figures.ts';
import { unreadableNode } from './node-figures.ts';
import { safe } from './safe-amount.ts';

/** What pods request of a node, summed over those that are seen there. */
export interface SeenRequests {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly ephemeralBytes: number;
  /** Resource name -> pieces. */
  readonly cards: ReadonlyMap<string, number>;
}

/** Vendor -> the resource by which its device plugin offers whole cards. */
const resources: ReadonlyMap<string, string> = new Map([
  ['nvidia', 'nvidia.com/gpu'],
  ['amd', 'amd.com/gpu'],
]);

export const cardResources: ReadonlySet<string> = new Set(resources.values());

/**
 * A node of akash.inventory.v1, beside what is seen of its pods. Nobody says which pods the server has counted, so what is allocated is the larger of both: whatever
 * pod is seen is in it, whether the server has counted it yet or not, and what the server counts beside pods is not forgotten.
 */
export function akashNode(node: Node, seen: SeenRequests): NodeFigures {
  try {
    return readNode(node, seen);
  } catch (thrown) {
    return unreadableNode(node.name, node.name, messageOf(thrown));
  }
}

function readNode({ name, resources: of, capabilities }: Node, seen: SeenRequests): NodeFigures {
  const cpu = readPair(of?.cpu?.quantity, 'cpu', 1000n, seen.cpuMillis);
  const memory = readPair(of?.memory?.quantity, 'memory', 1n, seen.memoryBytes);
  const ephemeral = readPair(of?.ephemeralStorage, 'ephemeral_storage', 1n, seen.ephemeralBytes);
  const cards = readCards(of?.gpu, seen);
  const amounts = (which: 'allocatable' | 'allocated'): NodeAmounts => ({
    cpuMillis: cpu[which],
    memoryBytes: memory[which],
    ephemeralBytes: ephemeral[which],
    cards: new Map(cards === undefined ? [] : [[groupKey(cards.groups[0] ?? unknownCard), cards[which]]]),
  });
  const pools: CardPool[] = [];
  if (cards !== undefined) {
    const { resource, allocatable: size, free, groups } = cards;
    pools.push({ resource, assignedBy: 'plugin', size, free, mayBeFree: groups });
  }
  return {
    facts: {
      name,
      // Names are all that this protocol knows nodes by.
      uid: name,
      heldBack: [],
      cpuMillis: cpu.free,
      memoryBytes: memory.free,
      ephemeralBytes: ephemeral.free,
      cards: pools,
      storageClasses: capabilities?.storageClasses ?? [],
    },
    allocatable: amounts('allocatable'),
    allocated: amounts('allocated'),
  };
}

const unknownCard: CardGroup = { vendor: '', model: '', interface: '', memoryBytes: 0 };

/** One count for all cards of the node: it says nothing where they are of several vendors, and the cards that it lists are not told from the free ones. */
function readCards(gpu: GPU | undefined, seen: SeenRequests) {
  const vendors = new Set(gpu?.info.map(({ vendor }) => vendor.toLowerCase()));
  const [vendor = ''] = vendors;
  const resource = vendors.size === 1 ? resources.get(vendor) : undefined;
  if (gpu === undefined || resource === undefined) return undefined;
  const amounts = readPair(gpu.quantity, 'gpu', 1n, seen.cards.get(resource) ?? 0);
  const listed = [...new Map(gpu.info.map((info) => [groupKey(groupOf(info)), groupOf(info)])).values()];
  return { resource, groups: gpu.info.length < amounts.free ? [...listed, unknownCard] : listed, listed: gpu.info.length, ...amounts };
}

/** What a card of a pod on it may be; nothing where the node does not list all of them. */
export function akashCards(node: Node | undefined): readonly CardGroup[] {
  try {
    const cards = readCards(node?.resources?.gpu, noPods);
    return cards === undefined || cards.listed < cards.allocatable ? [] : cards.groups;
  } catch {
    // The node says so, and takes nothing new.
    return [];
  }
}

const noPods: SeenRequests = { cpuMillis: 0, memoryBytes: 0, ephemeralBytes: 0, cards: new Map() };

function groupOf({ vendor, name, interface: form, memorySize }: GPUInfo): CardGroup {
  return { vendor, model: name, interface: form, memoryBytes: memorySize === '' ? 0 : bytes(memorySize) };
}

export function akashClass({ quantity, info }: Storage, level: CommitLevel): ClassFigures {
  const name = info?.class ?? '';
  try {
    const amount = readPair(quantity, 'quantity', 1n, 0);
    return {
      facts: { name, freeBytes: committed(amount, level) },
      allocatableBytes: amount.allocatable,
      allocatedBytes: amount.allocated,
    };
  } catch (thrown) {
    return unreadableClass(name, messageOf(thrown));
  }
}

/** Parts of a unit are not sold: what is there is rounded down, what is taken up. */
function readPair(pair: ResourcePair | undefined, field: string, perUnit: bigint, seen: number) {
  const nanos = nanosPerUnit / perUnit;
  const allocatable = safe(nanosOf(pair?.allocatable?.string, `${field}.allocatable`) / nanos, field);
  const told = safe((nanosOf(pair?.allocated?.string, `${field}.allocated`) + nanos - 1n) / nanos, field);
  const allocated = Math.max(told, seen);
  return { allocatable, allocated, free: allocatable - allocated };
}

function nanosOf(text: string | undefined, field: string): bigint {
  if (text === undefined) throw new StatusError('invalid_argument', `${field} is missing`);
  const { nanos } = parseQuantity(text);
  if (nanos < 0n) throw new StatusError('invalid_argument', `${field} is ${text}; it must not be negative`);
  return nanos;
}
