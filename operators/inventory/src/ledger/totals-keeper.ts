import type { Amount, TotalAmount } from '../model/amount.ts';
import type { GpuGroup, NodeInventory } from '../model/node-inventory.ts';
import type { InventoryTotals, ResourceTotals } from '../model/snapshot.ts';
import { ExactSum } from './exact-sum.ts';

type Share = NodeInventory['sellability']['state'];

const fields = ['capacity', 'allocatable', 'allocated', 'available', 'overcommitted'] as const;

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

  replace(before: NodeInventory | undefined, after: NodeInventory | undefined): void {
    if (before === after) return;
    if (before !== undefined) this.#shares[before.sellability.state].subtract(before);
    if (after !== undefined) this.#shares[after.sellability.state].add(after);
    this.#totals = undefined;
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

class ShareSums {
  nodes = 0;
  readonly #cpu = new AmountSums();
  readonly #memory = new AmountSums();
  readonly #ephemeralStorage = new AmountSums();
  readonly #gpus = new Map<string, AmountSums>();

  add(node: NodeInventory): void {
    this.nodes += 1;
    this.#cpu.add(node.cpu);
    this.#memory.add(node.memory);
    this.#ephemeralStorage.add(node.ephemeralStorage);
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
    this.#ephemeralStorage.subtract(node.ephemeralStorage);
    for (const group of node.gpus) {
      const key = gpuKey(group);
      const sums = this.#gpus.get(key);
      sums?.subtract(group.amount);
      if (sums?.count === 0) this.#gpus.delete(key);
    }
  }

  totals(): ResourceTotals {
    return {
      cpu: this.#cpu.total(),
      memory: this.#memory.total(),
      ephemeralStorage: this.#ephemeralStorage.total(),
      gpus: new Map([...this.#gpus].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, sums]) => [key, sums.total()])),
    };
  }
}

class AmountSums {
  count = 0;
  readonly #sums = fields.map(() => new ExactSum());

  add(amount: Amount): void {
    this.count += 1;
    for (const [i, field] of fields.entries()) this.#sums[i]?.add(amount[field]);
  }

  subtract(amount: Amount): void {
    this.count -= 1;
    for (const [i, field] of fields.entries()) this.#sums[i]?.subtract(amount[field]);
  }

  total(): TotalAmount {
    const [capacity = 0n, allocatable = 0n, allocated = 0n, available = 0n, overcommitted = 0n] = this.#sums.map((sum) => sum.exact());
    return { capacity, allocatable, allocated, available, overcommitted };
  }
}
