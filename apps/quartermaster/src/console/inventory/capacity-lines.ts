import type { CapacityLine, Division, Withheld } from '@quartermaster/console';
import type {
  Amount,
  GpuGroup,
  InventoryTotals,
  NodeInventory,
  ResourceTotals,
  StorageInventory,
  TotalAmount,
} from '@quartermaster/inventory';
import { modelName } from './node-views.ts';

export interface CapacityInput {
  readonly totals: InventoryTotals;
  /** The nodes that cannot be sold now. */
  readonly withheld: Iterable<NodeInventory>;
  readonly storage: readonly StorageInventory[];
}

type Shares = Readonly<Record<'sellable' | 'heldBack' | 'unknown', TotalAmount>>;

const amountNames = ['capacity', 'allocatable', 'allocated', 'available', 'overcommitted'] as const;
const nothing: Readonly<Record<(typeof amountNames)[number], bigint>> = {
  capacity: 0n,
  allocatable: 0n,
  allocated: 0n,
  available: 0n,
  overcommitted: 0n,
};

/** The bars of the Capacity page: resources, GPU models, storage classes. Each divides all that there is. Pure. */
export function capacityLines({ totals, withheld, storage }: CapacityInput): readonly CapacityLine[] {
  const reasons = new ReasonSums(withheld);
  const models = [...new Set(shares(totals).flatMap(({ gpus }) => [...gpus.keys()]))].toSorted();
  const bars: readonly Bar[] = [
    ...(models.length === 0 ? [] : [{ kind: 'resource', name: 'gpu', unit: 'devices', pick: allGpus } as const]),
    { kind: 'resource', name: 'cpu', unit: 'millicores', pick: ({ cpu }) => cpu },
    { kind: 'resource', name: 'memory', unit: 'bytes', pick: ({ memory }) => memory },
    { kind: 'resource', name: 'disk', unit: 'bytes', pick: ({ ephemeralStorage }) => ephemeralStorage },
    ...models.map((key): Bar => ({ kind: 'model', name: nameOfKey(key), unit: 'devices', pick: ({ gpus }) => gpus.get(key) })),
  ];
  return [...bars.map((bar) => lineOf(bar, totals, reasons)), ...storage.map(classLine)];
}

interface Bar extends Pick<CapacityLine, 'name' | 'unit'> {
  readonly kind: 'resource' | 'model';
  readonly pick: (totals: ResourceTotals) => TotalAmount | undefined;
}

function lineOf({ kind, name, unit, pick }: Bar, totals: InventoryTotals, reasons: ReasonSums): CapacityLine {
  const division = divide(sharesOf(totals, pick));
  const why = reasons.of(kind, name);
  const explained = why.filter(({ state }) => state === 'held-back').reduce((sum, { amount }) => sum + amount, 0);
  const rest = division.heldBack - explained;
  const code = unit === 'devices' ? 'Quarantined' : 'System';
  const others: readonly Withheld[] = rest > 0 ? [{ state: 'held-back', code, amount: rest, nodes: 0 }] : [];
  return { kind, name, unit, division, why: [...why, ...others].toSorted((a, b) => b.amount - a.amount) };
}

/**
 * What pods hold on nodes that report is allocated, also where nothing more is sold; what is left of those that are held back is held back,
 * and so is what a sellable node keeps for itself. Of a silent node nothing is known.
 */
function divide({ sellable, heldBack, unknown }: Shares): Division {
  const whole = Number(sellable.capacity + heldBack.capacity);
  const allocated = Math.min(Number(taken(sellable) + taken(heldBack)), whole);
  const free = Math.min(Number(sellable.available), whole - allocated);
  return { allocated, sellable: free, heldBack: whole - allocated - free, unknown: Number(unknown.capacity) };
}

const taken = ({ allocated, overcommitted }: TotalAmount): bigint => allocated - overcommitted;

function sharesOf({ sellable, heldBack, unknown }: InventoryTotals, pick: Bar['pick']): Shares {
  return { sellable: pick(sellable) ?? nothing, heldBack: pick(heldBack) ?? nothing, unknown: pick(unknown) ?? nothing };
}

const shares = ({ sellable, heldBack, unknown }: InventoryTotals): readonly ResourceTotals[] => [sellable, heldBack, unknown];

function allGpus({ gpus }: ResourceTotals): TotalAmount {
  const sum = { ...nothing };
  for (const each of gpus.values()) for (const name of amountNames) sum[name] += each[name];
  return sum;
}

/** `nvidia/h100/SXM5/80Gi` as `modelName` would say it. */
const nameOfKey = (key: string): string =>
  key
    .split('/')
    .filter((part) => part !== '' && part !== '0Gi')
    .join(' ');

/** How much each reason withholds, by the first reason of each node. */
class ReasonSums {
  readonly #sums = new Map<string, Map<string, Withheld>>(); // bar -> state and code -> sum

  constructor(nodes: Iterable<NodeInventory>) {
    for (const node of nodes) this.#add(node);
  }

  /** The most first. */
  of(kind: CapacityLine['kind'], name: string): readonly Withheld[] {
    return [...(this.#sums.get(`${kind} ${name}`)?.values() ?? [])].toSorted((a, b) => b.amount - a.amount);
  }

  #add(node: NodeInventory): void {
    const count = (bar: string, groups: readonly GpuGroup[]): void =>
      this.#count(
        node,
        bar,
        groups.map(({ amount }) => amount),
      );
    for (const [name, groups] of Map.groupBy(node.gpus, modelName)) count(`model ${name}`, groups);
    if (node.gpus.length > 0) count('resource gpu', node.gpus);
    this.#count(node, 'resource cpu', [node.cpu]);
    this.#count(node, 'resource memory', [node.memory]);
    this.#count(node, 'resource disk', [node.ephemeralStorage]);
  }

  #count({ sellability: { state, reasons } }: NodeInventory, bar: string, amounts: readonly Amount[]): void {
    if (state === 'sellable') return;
    const amount = amounts.reduce((sum, each) => sum + withheldOf(each, state), 0);
    const code = reasons[0]?.code ?? '';
    const sums = this.#sums.get(bar) ?? new Map<string, Withheld>();
    this.#sums.set(bar, sums);
    const before = sums.get(`${state} ${code}`) ?? { state, code, amount: 0, nodes: 0 };
    sums.set(`${state} ${code}`, { ...before, amount: before.amount + amount, nodes: before.nodes + 1 });
  }
}

/** What a node that cannot be sold withholds: all that is not taken, or everything where nobody knows. */
export const withheldOf = ({ capacity, allocated, overcommitted }: Amount, state: 'held-back' | 'unknown'): number =>
  state === 'unknown' ? capacity : Math.max(capacity - (allocated - overcommitted), 0);

function classLine({ class: name, amount, refusal }: StorageInventory): CapacityLine {
  const { capacity = 0, allocated = 0, available = 0, overcommitted = 0 } = amount ?? {};
  const used = Math.min(allocated - overcommitted, capacity);
  const free = refusal === undefined ? Math.min(available, capacity - used) : 0;
  const heldBack = capacity - used - free;
  const state = amount === undefined ? 'unknown' : 'held-back';
  const why: readonly Withheld[] = refusal === undefined ? [] : [{ state, code: refusal.code, amount: heldBack, nodes: 0 }];
  return { kind: 'class', name, unit: 'bytes', division: { allocated: used, sellable: free, heldBack, unknown: 0 }, why };
}
