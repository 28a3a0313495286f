import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedPod } from '../model/observed.ts';
import type { InventoryTotals } from '../model/snapshot.ts';
import type { LeftOutObjects } from '../observe/left-out.ts';
import { TotalsKeeper } from './amounts/totals-keeper.ts';
import type { LeasePods } from './lease-pods.ts';
import type { NodeEntry } from './node-entry.ts';
import { nodeView } from './node-view.ts';
import { isSteadyUnder } from './steady-view.ts';

export interface NodeViewsOptions {
  /** Does what takes in an object of a source, and takes note of what it throws. */
  readonly taking: LeftOutObjects['taking'];
  readonly leasePods: Pick<LeasePods, 'setView'>;
}

/** Makes the view of a node when it is asked for, adds up the views, and knows which of them are others since somebody last asked. */
export class NodeViews {
  readonly #options: NodeViewsOptions;
  readonly #totals = new TotalsKeeper();
  readonly #changed = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #stale = new Set<NodeEntry>(); // without a view

  constructor(options: NodeViewsOptions) {
    this.#options = options;
  }

  touch(entry: NodeEntry, now: number): void {
    entry.steady = undefined;
    this.touchAmounts(entry, now);
  }

  /** A pod came to the node, changed there, or went. */
  touchByPod(entry: NodeEntry, pod: ObservedPod, now: number): void {
    if (isSteadyUnder(entry, pod)) this.touchAmounts(entry, now);
    else this.touch(entry, now);
  }

  touchAmounts(entry: NodeEntry, now: number): void {
    entry.view = undefined;
    entry.changedAt = now;
    if (entry.observed === undefined) return;
    this.#stale.add(entry);
    this.#changed.add(entry.name);
    this.#removed.delete(entry.name);
  }

  /** The node is not known any more. */
  remove(entry: NodeEntry, now: number): void {
    this.touch(entry, now);
    this.#changed.delete(entry.name);
    this.#removed.add(entry.name);
    this.get(entry);
  }

  /** The same object until something of the node changed; undefined for a node that is not known. */
  get(entry: NodeEntry): NodeInventory | undefined {
    if (entry.view !== undefined) return entry.view;
    const { observed, counted } = entry;
    entry.view = counted; // One of which no view can be made stays as it last was.
    this.#options.taking('node-views', entry.name, () => {
      entry.view = observed && nodeView(entry, observed);
    });
    this.#totals.replace(counted, entry.view);
    this.#options.leasePods.setView(entry.pods, counted, entry.view);
    entry.counted = entry.view;
    this.#stale.delete(entry);
    return entry.view;
  }

  totals(): InventoryTotals {
    for (const entry of this.#stale) this.get(entry);
    return this.#totals.totals();
  }

  /** How often nodes changed between sellable, held back and unknown so far, or came or went. */
  get moves(): number {
    return this.#totals.moves;
  }

  /** Nodes whose view is another one, or that are gone, since the last call. */
  take(): Readonly<Record<'nodes' | 'removed', readonly string[]>> {
    const changes = { nodes: [...this.#changed], removed: [...this.#removed] };
    this.#changed.clear();
    this.#removed.clear();
    return changes;
  }
}
