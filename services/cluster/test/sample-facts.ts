import type { Request, Unit } from '../src/placement/request.ts';
import { Stock } from '../src/placement/stock.ts';
import type { CardGroup, CardPool, ClassFacts, ClusterFacts, NodeFacts } from '../src/placement/stock-facts.ts';

export const Gi = 2 ** 30;

export const a100: CardGroup = { vendor: 'nvidia', model: 'a100', interface: 'SXM4', memoryBytes: 80 * Gi };
export const t4: CardGroup = { vendor: 'nvidia', model: 't4', interface: 'PCIe', memoryBytes: 16 * Gi };

export const node = (name: string, changed: Partial<NodeFacts> = {}): NodeFacts => ({
  name,
  uid: `uid-${name}`,
  heldBack: [],
  cpuMillis: 16_000,
  memoryBytes: 64 * Gi,
  ephemeralBytes: 100 * Gi,
  cards: [],
  storageClasses: [],
  ...changed,
});

export const plugin = (free: number, size: number, ...mayBeFree: readonly CardGroup[]): CardPool[] => [
  { resource: 'nvidia.com/gpu', assignedBy: 'plugin', size, free, mayBeFree },
];

export const claims = (...groups: readonly (readonly [CardGroup, free: number, size: number])[]): CardPool[] => [
  { resource: 'gpu.nvidia.com', assignedBy: 'claim', groups: groups.map(([group, free, size]) => ({ ...group, free, size })) },
];

export const unit = (changed: Partial<Unit> = {}): Unit => ({ id: 1, count: 1, cpuMillis: 1000, memoryBytes: Gi, volumes: [], ...changed });

export const one = (changed: Partial<Unit> = {}): Request => ({ units: [unit(changed)] });

export const gpus = (count: number, ...models: readonly string[]) => ({
  count,
  wants: models.map((model) => ({ vendor: 'nvidia', model })),
});

export function stock(nodes: readonly NodeFacts[], classes: readonly ClassFacts[] = [], cluster: Partial<ClusterFacts> = {}): Stock {
  const made = new Stock();
  made.setCluster({ freePorts: 10, freeIps: 'unknown', ...cluster });
  for (const facts of classes) made.setClass(facts);
  for (const each of nodes) made.setNode(each);
  return made;
}
