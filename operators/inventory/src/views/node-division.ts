import { sickCards } from '@quartermaster/api/states';
import type { Amount } from '../model/amount.ts';
import type { GpuGroup, NodeInventory } from '../model/node-inventory.ts';
import { type DividedAmount, DivisionSum, divide, withholdingOf } from './division.ts';

const gib = 1024 ** 3;

/** `nvidia h100 SXM5 80Gi`: by which views tell GPUs apart. What is not known is left out. */
export function modelText({
  vendor,
  model,
  interface: form,
  memoryBytes,
}: Pick<GpuGroup, 'vendor' | 'model' | 'interface' | 'memoryBytes'>): string {
  const memory = memoryBytes === 0 ? '' : `${Math.round(memoryBytes / gib)}Gi`;
  return [vendor, model, form, memory].filter((part) => part !== '').join(' ');
}

/** How everything on a node divides. */
export interface NodeDivision {
  readonly cpu: DividedAmount;
  readonly memory: DividedAmount;
  readonly disk: DividedAmount;
  /** All models together; absent where there are no GPUs. */
  readonly gpu?: DividedAmount | undefined;
  /** model -> its cards */
  readonly models: ReadonlyMap<string, DividedAmount>;
}

const system = { kept: 'System', rest: 'System' };
const memory = { kept: 'System', rest: 'MemoryVolumes' };
const disk = { kept: 'System', rest: 'LocalVolumes' };
const cards = { kept: 'NotOffered', rest: 'NotOffered' };
const noModels: ReadonlyMap<string, DividedAmount> = new Map();

// A node that did not change divides as it did.
const known = new WeakMap<NodeInventory, NodeDivision>(); // node -> how it divides

export function nodeDivision(node: NodeInventory): NodeDivision {
  const division = known.get(node) ?? divideNode(node);
  known.set(node, division);
  return division;
}

function divideNode(node: NodeInventory): NodeDivision {
  const by = withholdingOf(node);
  const models = node.gpus.length === 0 ? noModels : divideModels(node);
  return {
    cpu: divide(node.cpu, by, system),
    memory: divide(node.memory, by, memory),
    disk: divide(node.ephemeralStorage, by, disk),
    gpu: models.size === 0 ? undefined : sumOf(models.values()),
    models,
  };
}

function divideModels(node: NodeInventory): ReadonlyMap<string, DividedAmount> {
  const by = withholdingOf(node);
  const devices = Map.groupBy(node.devices, modelText);
  const groups = Map.groupBy(node.gpus, modelText);
  return new Map(
    [...groups].map(([name, alike]) => [
      name,
      divide(alike.map(({ amount }) => amount).reduce(plus), by, cards, sickCards(devices.get(name) ?? [])),
    ]),
  );
}

function sumOf(parts: Iterable<DividedAmount>): DividedAmount {
  const sum = new DivisionSum();
  for (const part of parts) sum.add(part);
  const { division, why } = sum.total();
  // Reasons of one node: however many models have it, it is one node.
  return { division, why: why.map((each) => ({ ...each, nodes: Math.min(each.nodes, 1) })) };
}

const plus = (a: Amount, b: Amount): Amount => ({
  capacity: a.capacity + b.capacity,
  allocatable: a.allocatable + b.allocatable,
  allocated: a.allocated + b.allocated,
  available: a.available + b.available,
  overcommitted: a.overcommitted + b.overcommitted,
});
