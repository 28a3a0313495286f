import {
  type CapacityView,
  type Need,
  type NodeDetail,
  type NodeRow,
  nodesTopic,
  type PodUsage,
  type SearchAnswer,
  type StorageCard,
  type SummaryHead,
  summaryTopic,
  type TrendSample,
} from '@quartermaster/api/inventory-views';
import type { Clock } from '@quartermaster/kernel';
import type { NodeInventory } from '../model/node-inventory.ts';
import type { ObservedNode } from '../model/observed.ts';
import type { Allocation } from '../model/snapshot.ts';
import type { FeedState, InventoryFeed } from '../publish/inventory-feed.ts';
import { CapacityHistory } from './capacity-history.ts';
import { resourceLines } from './capacity-lines.ts';
import { type InventoryReader, inventoryViews } from './inventory-reader.ts';
import { nodeRow } from './node-row.ts';
import { nodeDetail, podTake } from './node-views.ts';
import { type NamedView, namedView } from './open-view.ts';
import { searchInventory } from './search.ts';
import { SnapshotViews } from './snapshot-views.ts';

export interface InventoryViewsOptions {
  readonly feed: Pick<InventoryFeed, 'state' | 'current' | 'node' | 'onGeneration'>;
  readonly allocations: (filter: { readonly node: string }) => readonly Allocation[];
  /** What the API server says of a node. */
  readonly observed: (name: string) => ObservedNode | undefined;
  /** When the API server was last heard, milliseconds since the epoch. */
  readonly confirmedAt: () => number;
  readonly clock: Clock;
}

/** Without them, nobody knows what is allocated. */
const vital = new Set(['nodes', 'pods']);

/** The inventory as people look at it. Nothing is worked out before somebody asks, except for the history. */
export class InventoryViews implements InventoryReader {
  /** All views, by their names. */
  readonly named: readonly NamedView[];
  readonly #options: InventoryViewsOptions;
  readonly #history: CapacityHistory;
  readonly #listeners = new Set<() => void>();
  readonly #endFeed: () => void;
  #rows: ReadonlyMap<string, KnownRow> = new Map(); // name -> row
  #seen: { readonly state: FeedState; readonly views: SnapshotViews } | undefined;
  #isSampled = false;

  constructor(options: InventoryViewsOptions) {
    this.#options = options;
    this.#history = new CapacityHistory({ clock: options.clock, read: () => this.#linesNow(), changed: () => this.changed() });
    this.#endFeed = options.feed.onGeneration(() => this.#advance());
    this.named = [
      ...inventoryViews(() => this),
      namedView(nodesTopic, ({ name }) => {
        const rows = this.nodes();
        return rows && { head: { total: rows.length }, rows: name === undefined ? rows : rows.filter((row) => row.name === name) };
      }),
      namedView(summaryTopic, () => {
        const head = this.summary();
        return head && { head, rows: [] };
      }),
    ];
  }

  capacity(): CapacityView | undefined {
    return this.#now()?.capacity;
  }

  needs(): readonly Need[] | undefined {
    return this.#now()?.needs;
  }

  storage(): readonly StorageCard[] | undefined {
    return this.#now()?.storage;
  }

  nodes(): readonly NodeRow[] | undefined {
    return this.#now()?.nodes;
  }

  summary(): SummaryHead | undefined {
    const views = this.#now();
    const observedAt = this.observedAt();
    if (views === undefined || observedAt === undefined) return undefined;
    const { stale, needCount: all, storageNeedCount: storage } = views.capacity;
    return { ...views.summary, observedAt, stale, needs: { all, storage } };
  }

  /** When the API server last confirmed all of this; undefined before everything was read. */
  observedAt(): number | undefined {
    const state = this.#options.feed.state();
    if (state === undefined) return undefined;
    const silent = state.completeness.stale.filter(({ source }) => vital.has(source)).map(({ lastContactAt }) => lastContactAt ?? 0);
    return Math.min(this.#options.confirmedAt(), ...silent);
  }

  trend(): readonly TrendSample[] {
    return this.#history.lastHour();
  }

  /** The samples of the last day from a moment on. */
  history(since: number): readonly TrendSample[] {
    return this.#history.since(since);
  }

  node(name: string): NodeDetail | undefined {
    const node = this.#options.feed.node(name);
    return node && nodeDetail(node);
  }

  podsOn(name: string): readonly PodUsage[] {
    return this.#options.allocations({ node: name }).map(podTake);
  }

  search(query: string, limit: number): SearchAnswer {
    const snapshot = this.#options.feed.current();
    return searchInventory({ nodes: snapshot?.nodes ?? [], storage: snapshot?.storage ?? [] }, query, limit);
  }

  /** Calls back after every change, at any pace. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something that no generation tells of changed: the API server answered, or a sample was taken. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  stop(): void {
    this.#endFeed();
    this.#history.stop();
  }

  #advance(): void {
    if (!this.#isSampled) {
      this.#isSampled = true;
      this.#history.take();
    }
    this.changed();
  }

  #now(): SnapshotViews | undefined {
    const { feed } = this.#options;
    const state = feed.state();
    if (state === undefined) return undefined;
    if (this.#seen?.state === state) return this.#seen.views;
    const snapshot = feed.current();
    if (snapshot === undefined) return undefined;
    const views = new SnapshotViews(
      snapshot,
      (name) => feed.node(name),
      (nodes) => this.#rowsOf(nodes),
    );
    this.#seen = { state, views };
    return views;
  }

  /** The same row for as long as nothing about the node changed. */
  #rowsOf(nodes: readonly NodeInventory[]): readonly NodeRow[] {
    const rows = new Map<string, KnownRow>();
    for (const node of nodes) {
      const observed = this.#options.observed(node.name);
      if (observed === undefined) continue;
      const known = this.#rows.get(node.name);
      const isSame = known?.node === node && known.observed === observed;
      rows.set(node.name, isSame ? known : { node, observed, row: nodeRow(observed, node) });
    }
    this.#rows = rows;
    return [...rows.values()].map(({ row }) => row);
  }

  #linesNow(): CapacityView['lines'] | undefined {
    const { feed } = this.#options;
    const state = feed.state();
    const isKnown = state !== undefined && !state.completeness.stale.some(({ source }) => vital.has(source));
    return isKnown ? resourceLines(feed.current()?.nodes ?? []) : undefined;
  }
}

interface KnownRow {
  readonly node: NodeInventory;
  readonly observed: ObservedNode;
  readonly row: NodeRow;
}
