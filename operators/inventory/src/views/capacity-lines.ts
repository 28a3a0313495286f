import type { CapacityLine } from '@quartermaster/api/inventory-views';
import type { NodeInventory } from '../model/node-inventory.ts';
import { compareNames } from '../model/sorted-by-name.ts';
import type { StorageInventory } from '../model/storage-inventory.ts';
import { classDivision } from './class-division.ts';
import { type DividedAmount, DivisionSum, divide, withholdingOf } from './division.ts';
import { nodeDivision } from './node-division.ts';

export interface CapacityInput {
  readonly nodes: Iterable<NodeInventory>;
  readonly storage: readonly StorageInventory[];
  readonly nodeOf: (name: string) => NodeInventory | undefined;
}

/** The bars of the capacity: resources, GPU models, storage classes. Each divides all that there is, and is the sum of what its nodes say. Pure. */
export function capacityLines({ nodes, storage, nodeOf }: CapacityInput): readonly CapacityLine[] {
  const classes = storage.map((each) => line('class', each.class, 'bytes', classDivision(each, nodeOf)));
  return [...resourceLines(nodes), ...classes];
}

/** The lines of what is on nodes. */
export function resourceLines(nodes: Iterable<NodeInventory>): readonly CapacityLine[] {
  const sums = { gpu: new DivisionSum(), cpu: new DivisionSum(), memory: new DivisionSum(), disk: new DivisionSum() };
  const models = new Map<string, DivisionSum>(); // model -> its cards
  for (const node of nodes) {
    const division = nodeDivision(node);
    sums.cpu.add(division.cpu);
    sums.memory.add(division.memory);
    sums.disk.add(division.disk);
    if (division.gpu !== undefined) sums.gpu.add(division.gpu);
    for (const [name, cards] of division.models) {
      const sum = models.get(name) ?? new DivisionSum();
      models.set(name, sum);
      sum.add(cards);
    }
  }
  return [
    ...(models.size === 0 ? [] : [line('resource', 'gpu', 'devices', sums.gpu.total())]),
    line('resource', 'cpu', 'millicores', sums.cpu.total()),
    line('resource', 'memory', 'bytes', sums.memory.total()),
    line('resource', 'disk', 'bytes', sums.disk.total()),
    ...[...models].toSorted(([a], [b]) => compareNames(a, b)).map(([name, sum]) => line('model', name, 'devices', sum.total())),
  ];
}

/** The lines of one node, with whatever else its kubelet counts. */
export function nodeLines(node: NodeInventory): readonly CapacityLine[] {
  const by = withholdingOf(node);
  const others = [...node.extended]
    .filter(([, { capacity }]) => capacity > 0)
    .map(([name, amount]) =>
      name.startsWith('hugepages-')
        ? line('resource', name, 'bytes', divide(amount, by, { kept: 'System', rest: 'System' }))
        : line('resource', name, 'devices', divide(amount, by, { kept: 'NotOffered', rest: 'NotOffered' })),
    );
  return [...resourceLines([node]), ...others];
}

const line = (kind: CapacityLine['kind'], name: string, unit: CapacityLine['unit'], divided: DividedAmount): CapacityLine => ({
  kind,
  name,
  unit,
  ...divided,
});
