import { noDivision, sickCards } from '@quartermaster/api/states';
import type { Amount } from '../model/amount.ts';
import type { GpuGroup, NodeInventory } from '../model/node-inventory.ts';
import { type DividedAmount, DivisionSum, divide, type Withholding, withholdingOf } from './division.ts';

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
const noCards: DividedCards = { gpu: undefined, models: new Map() };

type DividedCards = Pick<NodeDivision, 'gpu' | 'models'>;

// A node that did not change divides as it did, and most pods leave the cards of their node as they are.
const known = new WeakMap<NodeInventory, NodeDivision>(); // node -> how it divides
const knownCards = new WeakMap<
  NodeInventory['gpus'],
  Pick<NodeInventory, 'devices'> & { readonly by: Withholding; readonly cards: DividedCards }
>();

export function nodeDivision(node: NodeInventory): NodeDivision {
  const division = known.get(node) ?? divideNode(node);
  known.set(node, division);
  return division;
}

function divideNode(node: NodeInventory): NodeDivision {
  const by = withholdingOf(node);
  // Whatever else can be sold of the node.
  const isDiskUnknown = by.state === 'sellable' && node.undecided?.ephemeralStorage !== undefined;
  return {
    cpu: divide(node.cpu, by, system),
    memory: divide(node.memory, by, memory),
    disk: isDiskUnknown ? divideUnread(node.ephemeralStorage) : divide(node.ephemeralStorage, by, disk),
    ...cardsOf(node, by),
  };
}

/** What pods have is known; what is left beside volumes that could not be read is not. */
function divideUnread({ capacity, allocated: promised }: Amount): DividedAmount {
  const allocated = Math.min(promised, capacity);
  const unknown = capacity - allocated;
  const why: DividedAmount['why'] = unknown === 0 ? [] : [{ state: 'unknown', code: 'VolumesUnread', amount: unknown, nodes: 1 }];
  return { division: { ...noDivision, allocated, unknown }, why };
}

function cardsOf({ gpus, devices }: NodeInventory, by: Withholding): DividedCards {
  if (gpus.length === 0) return noCards;
  const last = knownCards.get(gpus);
  if (last?.devices === devices && last.by.state === by.state && last.by.code === by.code) return last.cards;
  const models = divideModels({ gpus, devices }, by);
  const divided = { gpu: sumOf(models.values()), models };
  knownCards.set(gpus, { devices, by, cards: divided });
  return divided;
}

function divideModels(node: Pick<NodeInventory, 'gpus' | 'devices'>, by: Withholding): NodeDivision['models'] {
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
