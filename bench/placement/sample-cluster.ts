import type { NodeFacts, Request, Unit } from '@quartermaster/cluster';
import type { Random } from '@quartermaster/kernel';

const Gi = 2 ** 30;
const cardsPerNode = 8;
const models = [
  { model: 'h100', interface: 'SXM5', memoryBytes: 80 * Gi },
  { model: 'a100', interface: 'SXM4', memoryBytes: 80 * Gi },
  { model: 'rtx4090', interface: 'PCIe', memoryBytes: 24 * Gi },
];

const pick = <T>(random: Random, values: readonly [T, ...T[]]): T => values[Math.floor(random.next() * values.length)] ?? values[0];

/** Nodes with eight cards of one model each, as the device plugin sells them; every fifth has none. */
export function emptyNodes(count: number, modelCount: number): readonly NodeFacts[] {
  return Array.from({ length: count }, (_, at): NodeFacts => {
    const group = { vendor: 'nvidia', ...(models[at % modelCount] as (typeof models)[number]) };
    return {
      name: `node-${String(at).padStart(5, '0')}`,
      uid: `uid-${(at * 7919) % count}`,
      heldBack: [],
      cpuMillis: 128_000,
      memoryBytes: 1024 * Gi,
      ephemeralBytes: 4096 * Gi,
      cards:
        at % 5 === 4
          ? []
          : [{ resource: 'nvidia.com/gpu', assignedBy: 'plugin', size: cardsPerNode, free: cardsPerNode, mayBeFree: [group] }],
      storageClasses: [],
    };
  });
}

/** Nine of ten nodes have nothing left; the others, which are among them all over, something of everything: a first fit finds one soon. */
export function fullNodes(count: number, random: Random): readonly NodeFacts[] {
  return emptyNodes(count, models.length).map((node, at) => {
    const left = at % 10 > 0 ? 0 : 1 + Math.floor(random.next() * cardsPerNode);
    const part = left / cardsPerNode;
    return {
      ...node,
      cpuMillis: Math.floor(node.cpuMillis * part - random.next() * 1000 * left),
      memoryBytes: Math.floor(node.memoryBytes * part - random.next() * Gi * left),
      cards: node.cards.map((pool) => ({ ...pool, free: left })),
    };
  });
}

/** One unit with one card: what the facts of the existing provider were measured with. */
export const oneCard = (random: Random): Request => ({
  units: [
    {
      ...gpuUnit(1, 1, 1, pick(random, ['h100', 'a100', 'rtx4090']), random),
      cpuMillis: pick(random, [2000, 8000, 12_000]),
      memoryBytes: pick(random, [16 * Gi, 64 * Gi, 96 * Gi]),
    },
  ],
});

/** Four units of ten to twenty replicas with up to eight cards each: much that goes together. Some of these do not fit. */
export const largeOrder = (random: Random): Request => ({
  units: Array.from({ length: 4 }, (_, at) => {
    const cards = 1 + Math.floor(random.next() * cardsPerNode);
    return {
      ...gpuUnit(at + 1, 10 + Math.floor(random.next() * 11), cards, pick(random, ['h100', 'a100', 'rtx4090', '*']), random),
      cpuMillis: cards * pick(random, [2000, 8000, 12_000, 15_000]),
      memoryBytes: cards * pick(random, [16 * Gi, 64 * Gi, 96 * Gi, 120 * Gi]),
    };
  }),
});

/** What tenants order: from one card to a whole node, three of ten without cards. Of one model: which of several is sold out first would be luck. */
export function mixedRequest(random: Random): Request {
  const units: Unit[] = [];
  const count = random.next() < 0.2 ? 2 : 1;
  for (let id = 1; id <= count; id += 1) {
    const replicas = random.next() < 0.2 ? 2 : 1;
    if (random.next() < 0.3) units.push(cpuUnit(id, replicas, random));
    else units.push(gpuUnit(id, replicas, pick(random, [1, 2, 4, 8]), 'h100', random));
  }
  return { units };
}

function gpuUnit(id: number, count: number, cards: number, model: string, random: Random): Unit {
  return {
    id,
    count,
    cpuMillis: cards * pick(random, [2000, 8000, 16_000]),
    memoryBytes: cards * pick(random, [16 * Gi, 64 * Gi, 128 * Gi]),
    gpus: { count: cards, wants: [{ vendor: 'nvidia', model }] },
    volumes: [{ kind: 'ephemeral', name: 'root', bytes: cards * 20 * Gi }],
  };
}

function cpuUnit(id: number, count: number, random: Random): Unit {
  const cpuMillis = pick(random, [500, 2000, 8000, 16_000]);
  return { id, count, cpuMillis, memoryBytes: (cpuMillis / 1000) * 4 * Gi, volumes: [{ kind: 'ephemeral', name: 'root', bytes: 10 * Gi }] };
}

export const cardsOf = ({ units }: Request): number => units.reduce((sum, unit) => sum + (unit.gpus?.count ?? 0) * unit.count, 0);

export const cardsIn = (nodes: readonly NodeFacts[]): number =>
  nodes.reduce((sum, { cards }) => sum + cards.reduce((all, pool) => all + (pool.assignedBy === 'plugin' ? pool.size : 0), 0), 0);
