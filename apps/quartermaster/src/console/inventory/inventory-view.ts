import type {
  CapacityView,
  FoundGpu,
  InventorySource,
  Need,
  NodeDetail,
  NodeSale,
  PodUsage,
  StorageCard,
  TrendSample,
} from '@quartermaster/console';
import type { Generation, Inventory, NodeInventory } from '@quartermaster/inventory';
import type { Clock } from '@quartermaster/kernel';
import { CapacityHistory } from './capacity-history.ts';
import { capacityLines } from './capacity-lines.ts';
import { needsOf } from './needs.ts';
import { modelName, nodeDetail, nodeSale, podTake, silentSource } from './node-views.ts';
import { storageCard } from './storage-card.ts';

/** What is read of an inventory. */
export interface ViewedInventory {
  readonly feed: Pick<Inventory['feed'], 'state' | 'current' | 'node' | 'deltaSince' | 'onGeneration'>;
  readonly ledger: Pick<Inventory['ledger'], 'allocations'>;
}

/** Where the inventory of this process shows up; one that is started again is another. */
export interface InventoryPlace {
  readonly current: ViewedInventory | undefined;
  subscribe(listener: () => void): () => void;
}

export interface InventoryViewOptions {
  readonly place: InventoryPlace;
  readonly clock: Clock;
  /** Told of every change, unlimited in pace. */
  readonly changed: () => void;
  /** Told of each node of which something changed. */
  readonly nodeChanged: (name: string) => void;
}

/** All needs are counted, so many are shown. */
const shownNeeds = 100;

/** Without them, nobody knows what is allocated. */
const vital = new Set(['nodes', 'pods']);

/** The inventory as the console shows it, brought up to date node by node: a change costs what changed, not what there is. */
export class InventoryView implements InventorySource {
  readonly #options: InventoryViewOptions;
  readonly #history: CapacityHistory;
  readonly #troubled = new Map<string, NodeInventory>(); // name -> node that needs a person
  readonly #endPlace: () => void;
  #endFeed: () => void = () => {};
  #inventory: ViewedInventory | undefined;
  #generation: Generation | undefined;
  #built: Built | undefined;

  constructor(options: InventoryViewOptions) {
    this.#options = options;
    this.#history = new CapacityHistory(options.clock, () => this.#linesNow(), options.changed);
    this.#endPlace = options.place.subscribe(() => this.#follow());
    this.#follow();
  }

  capacity(): CapacityView | undefined {
    return this.#build()?.capacity;
  }

  needs(): readonly Need[] | undefined {
    return this.#build()?.needs;
  }

  storage(): readonly StorageCard[] | undefined {
    return this.#build()?.storage;
  }

  trend(): readonly TrendSample[] {
    return this.#history.samples();
  }

  node(name: string): NodeDetail | undefined {
    const node = this.#inventory?.feed.node(name);
    return node && nodeDetail(node);
  }

  /** What of a node goes into its row. */
  saleOf(name: string): NodeSale | undefined {
    const node = this.#inventory?.feed.node(name);
    return node && nodeSale(node);
  }

  podsOn(name: string): readonly PodUsage[] {
    return [...(this.#inventory?.ledger.allocations({ node: name }) ?? [])].map(podTake);
  }

  findGpus(text: string, limit: number): readonly FoundGpu[] {
    const found: FoundGpu[] = [];
    for (const { name, devices } of this.#inventory?.feed.current()?.nodes ?? []) {
      for (const device of devices) {
        if (!device.id.toLowerCase().includes(text)) continue;
        found.push({ id: device.id, node: name, model: modelName(device) });
        if (found.length >= limit) return found;
      }
    }
    return found;
  }

  stop(): void {
    this.#endPlace();
    this.#endFeed();
    this.#history.stop();
  }

  #follow(): void {
    const inventory = this.#options.place.current;
    if (inventory === this.#inventory) return;
    this.#endFeed();
    this.#inventory = inventory;
    this.#endFeed = inventory?.feed.onGeneration(() => this.#advance()) ?? (() => {});
    this.#advance();
  }

  #advance(): void {
    const feed = this.#inventory?.feed;
    const state = feed?.state();
    if (feed === undefined || state === undefined) return;
    const delta = this.#generation && feed.deltaSince(this.#generation);
    const isFirst = this.#generation === undefined;
    if (delta === undefined) this.#readAll(feed.current()?.nodes ?? []);
    else {
      for (const node of delta.nodes) this.#see(node);
      for (const name of delta.removedNodes) this.#forget(name);
    }
    this.#generation = state.generation;
    this.#built = undefined;
    if (isFirst) this.#history.take();
    this.#options.changed();
  }

  #readAll(nodes: readonly NodeInventory[]): void {
    const there = new Set(nodes.map(({ name }) => name));
    for (const name of this.#troubled.keys()) if (!there.has(name)) this.#forget(name);
    for (const node of nodes) this.#see(node);
  }

  #see(node: NodeInventory): void {
    const isTroubled = node.sellability.state !== 'sellable' || node.devices.some(({ state }) => state === 'quarantined');
    if (isTroubled) this.#troubled.set(node.name, node);
    else this.#troubled.delete(node.name);
    this.#options.nodeChanged(node.name);
  }

  #forget(name: string): void {
    this.#troubled.delete(name);
    this.#options.nodeChanged(name);
  }

  #linesNow(): CapacityView['lines'] | undefined {
    const capacity = this.capacity();
    const isKnown = capacity !== undefined && !capacity.stale.some(({ source }) => vital.has(source));
    return isKnown ? capacity.lines : undefined;
  }

  #build(): Built | undefined {
    const state = this.#inventory?.feed.state();
    if (state === undefined) return undefined;
    if (this.#built !== undefined) return this.#built;
    const storage = this.#inventory?.feed.current()?.storage ?? [];
    const needs = needsOf(this.#troubled.values(), storage);
    const lines = capacityLines({ totals: state.totals, withheld: this.#troubled.values(), storage });
    this.#built = {
      capacity: {
        stale: state.completeness.stale.map(silentSource),
        nodes: state.totals.nodes,
        needCount: needs.length,
        storageNeedCount: needs.filter(({ kind }) => kind === 'class').length,
        lines,
      },
      needs: needs.slice(0, shownNeeds),
      storage: storage.map(storageCard),
    };
    return this.#built;
  }
}

interface Built {
  readonly capacity: CapacityView;
  readonly needs: readonly Need[];
  readonly storage: readonly StorageCard[];
}
