import type { Amount, TotalAmount } from '../../model/amount.ts';
import type { GpuGroup, NodeInventory } from '../../model/node-inventory.ts';
import type { InventoryTotals, ResourceTotals } from '../../model/snapshot.ts';
import { ExactSum } from './exact-sum.ts';

type Share = NodeInventory['sellability']['state'];

/** `vendor/model/interface/memory in Gi`: by which totals tell GPUs apart. */
export function gpuKey({ vendor, model, interface: form, memoryBytes }: GpuGroup): string {
  return `${vendor}/${model}/${form}/${Math.round(memoryBytes / 2 ** 30)}Gi`;
}

/** Sums over all nodes, kept by taking the old state of a node out and the new one in. Costs the same however many nodes there are. */
export class TotalsKeeper {
  readonly #shares: Readonly<Record<Share, ShareSums>> = {
    sellable: new ShareSums(),
    'held-back': new ShareSums(),
    unknown: new ShareSums(),
  };
  #totals: InventoryTotals | undefined;
  #moves = 0;

  /** How often a node has come, gone, or changed between sellable, held back and unknown. */
  get moves(): number {
    return this.#moves;
  }

  replace(before: NodeInventory | undefined, after: NodeInventory | undefined): void {
    if (before === after) return;
    this.#totals = undefined;
    this.#replaceEphemeral(before, after);
    if (before !== undefined && after !== undefined && before.gpus === after.gpus && before.sellability.state === after.sellability.state) {
      this.#shares[after.sellability.state].replaceAmounts(before, after);
      return;
    }
    if (before?.sellability.state !== after?.sellability.state) this.#moves += 1;
    if (before !== undefined) this.#shares[before.sellability.state].subtract(before);
    if (after !== undefined) this.#shares[after.sellability.state].add(after);
  }

  #replaceEphemeral(before: NodeInventory | undefined, after: NodeInventory | undefined): void {
    const isSame =
      before?.ephemeralStorage === after?.ephemeralStorage &&
      before?.sellability.state === after?.sellability.state &&
      before?.undecided?.ephemeralStorage === after?.undecided?.ephemeralStorage;
    if (isSame) return;
    for (const [share, part] of before === undefined ? [] : ephemeralParts(before)) this.#shares[share].ephemeralStorage.subtract(part);
    for (const [share, part] of after === undefined ? [] : ephemeralParts(after)) this.#shares[share].ephemeralStorage.add(part);
  }

  /** The same object until something changed. */
  totals(): InventoryTotals {
    const { sellable, 'held-back': heldBack, unknown } = this.#shares;
    this.#totals ??= {
      nodes: { sellable: sellable.nodes, heldBack: heldBack.nodes, unknown: unknown.nodes },
      sellable: sellable.totals(),
      heldBack: heldBack.totals(),
      unknown: unknown.totals(),
    };
    return this.#totals;
  }
}

/** Of a node that can be sold and whose volumes could not all be read, what pods have is known, and what is left is not. The parts add up to the whole. */
function ephemeralParts(node: NodeInventory): readonly (readonly [Share, Amount])[] {
  const { sellability, ephemeralStorage: whole } = node;
  if (sellability.state !== 'sellable' || node.undecided?.ephemeralStorage === undefined) return [[sellability.state, whole]];
  const capacity = Math.min(whole.allocated, whole.capacity);
  const allocatable = Math.min(whole.allocated, whole.allocatable);
  const left = { capacity: whole.capacity - capacity, allocatable: whole.allocatable - allocatable };
  return [
    ['sellable', { ...whole, capacity, allocatable }],
    ['unknown', { ...left, allocated: 0, available: 0, overcommitted: 0 }],
  ];
}

class ShareSums {
  nodes = 0;
  readonly #cpu = new AmountSums();
  readonly #memory = new AmountSums();
  /** Kept from outside: not all of it need be in the share of its node. */
  readonly ephemeralStorage = new AmountSums();
  readonly #gpus = new Map<string, AmountSums>();

  add(node: NodeInventory): void {
    this.nodes += 1;
    this.#cpu.add(node.cpu);
    this.#memory.add(node.memory);
    for (const group of node.gpus) {
      const key = gpuKey(group);
      const sums = this.#gpus.get(key) ?? new AmountSums();
      this.#gpus.set(key, sums);
      sums.add(group.amount);
    }
  }

  subtract(node: NodeInventory): void {
    this.nodes -= 1;
    this.#cpu.subtract(node.cpu);
    this.#memory.subtract(node.memory);
    for (const group of node.gpus) {
      const key = gpuKey(group);
      const sums = this.#gpus.get(key);
      sums?.subtract(group.amount);
      if (sums?.count === 0) this.#gpus.delete(key);
    }
  }

  /** Of a node whose cards and share are the same. */
  replaceAmounts(before: NodeInventory, after: NodeInventory): void {
    this.#cpu.replace(before.cpu, after.cpu);
    this.#memory.replace(before.memory, after.memory);
  }

  totals(): ResourceTotals {
    return {
      cpu: this.#cpu.total(),
      memory: this.#memory.total(),
      ephemeralStorage: this.ephemeralStorage.total(),
      gpus: new Map([...this.#gpus].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, sums]) => [key, sums.total()])),
    };
  }
}

class AmountSums {
  count = 0;
  readonly #capacity = new ExactSum();
  readonly #allocatable = new ExactSum();
  readonly #allocated = new ExactSum();
  readonly #available = new ExactSum();
  readonly #overcommitted = new ExactSum();

  add(amount: Amount): void {
    this.count += 1;
    this.#capacity.add(amount.capacity);
    this.#allocatable.add(amount.allocatable);
    this.#allocated.add(amount.allocated);
    this.#available.add(amount.available);
    this.#overcommitted.add(amount.overcommitted);
  }

  subtract(amount: Amount): void {
    this.count -= 1;
    this.#capacity.subtract(amount.capacity);
    this.#allocatable.subtract(amount.allocatable);
    this.#allocated.subtract(amount.allocated);
    this.#available.subtract(amount.available);
    this.#overcommitted.subtract(amount.overcommitted);
  }

  replace(before: Amount, after: Amount): void {
    if (before === after) return;
    this.subtract(before);
    this.add(after);
  }

  total(): TotalAmount {
    return {
      capacity: this.#capacity.exact(),
      allocatable: this.#allocatable.exact(),
      allocated: this.#allocated.exact(),
      available: this.#available.exact(),
      overcommitted: this.#overcommitted.exact(),
    };
  }
}
