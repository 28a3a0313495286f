import type { Clock } from '@quartermaster/kernel';
import { ApiError, isPassing } from './api-error.ts';
import type { ApiObject } from './api-object.ts';
import type { FeedEvent } from './event-feed.ts';

export interface PageRequest {
  /** Where the page begins. Left out where a cursor says so. */
  readonly offset?: number | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly isCounted: boolean;
}

export interface ListedPage<T> {
  readonly items: readonly T[];
  /** Of all that match; undefined where it was not counted. */
  readonly total: number | undefined;
  readonly nextCursor: string;
}

export type ReadPage<T> = (request: PageRequest, signal: AbortSignal) => Promise<ListedPage<T>>;

/** The rows of a list of which only some are here. */
export interface SparseRows<T> {
  readonly length: number;
  /** Undefined while it has not been read. */
  at(index: number): T | undefined;
}

export interface ListState<T> {
  /** Undefined before the first answer. */
  readonly total: number | undefined;
  readonly rows: SparseRows<T>;
  /** The last answer was a refusal; the rows are those of before. */
  readonly problem: ApiError | undefined;
  /** Changes that wait because somebody holds the rows. */
  readonly changes: number;
}

interface ReadRows<T> {
  readonly items: readonly T[];
  readonly nextCursor: string;
}

export const pageSize = 200;

/** Rows that were scrolled past stay for the way back, as long as they are not many. */
const maxKeptPages = 40;

/** A fast scroll passes over most pages: only where it rests is read. */
const restDelayMs = 80;

/** However lively the objects are, the list is read again no more often. */
const refreshIntervalMs = 1_000;
const retryDelayMs = 3_000;

/**
 * A long list of the API, read by pages as they come into sight. A changed object is shown at once where it stands; where it
 * belongs by filter and order is found out by reading again, unless somebody holds the rows.
 */
export class ObjectList<T extends ApiObject> {
  readonly #read: ReadPage<T>;
  readonly #clock: Clock;
  readonly #listeners = new Set<() => void>();
  readonly #reading = new Map<number, AbortController>(); // page -> its request
  #pages: ReadonlyMap<number, ReadRows<T>> = new Map(); // page -> its rows
  #visible = { first: 0, last: 0 }; // pages
  #state: ListState<T> = { total: undefined, rows: rowsOf(0, new Map()), problem: undefined, changes: 0 };
  #isHeld = false;
  #cancelRest: (() => void) | undefined;
  #cancelRefresh: (() => void) | undefined;
  #isRefreshing = false;
  #isStopped = false;

  constructor(read: ReadPage<T>, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
  }

  readonly current = (): ListState<T> => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  start(): void {
    this.#isStopped = false;
    void this.#refresh();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRest?.();
    this.#cancelRest = undefined;
    this.#cancelRefresh?.();
    this.#cancelRefresh = undefined;
    this.#isRefreshing = false;
    for (const reading of this.#reading.values()) reading.abort();
    this.#reading.clear();
  }

  /** These rows are in sight. */
  show(first: number, end: number): void {
    this.#visible = { first: Math.floor(first / pageSize), last: Math.floor(Math.max(first, end - 1) / pageSize) };
    this.#cancelRest?.();
    this.#cancelRest = this.#clock.schedule(restDelayMs, () => this.#readVisible());
  }

  /** While held, rows neither move nor come nor go. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (!isHeld && this.#state.changes > 0) void this.#refresh();
  }

  /** Shows everything where it belongs now. */
  refresh(): void {
    void this.#refresh();
  }

  /** Something happened to an object of this kind. */
  take(event: FeedEvent): void {
    if (event.kind === 'changed') {
      // Under the kind's own payload is an object of the kind.
      if (event.type === 'updated') this.#replace(event.object as T);
      if (this.#isHeld) this.#set({ changes: this.#state.changes + 1 });
    }
    if (!this.#isHeld) this.#refreshSoon(refreshIntervalMs);
  }

  #replace(object: T): void {
    for (const [page, { items, nextCursor }] of this.#pages) {
      const index = items.findIndex(({ id }) => id === object.id);
      if (index < 0) continue;
      this.#pages = new Map(this.#pages).set(page, { items: items.with(index, object), nextCursor });
      this.#set({});
      return;
    }
  }

  #refreshSoon(afterMs: number): void {
    if (this.#isStopped) return;
    this.#cancelRefresh ??= this.#clock.schedule(afterMs, () => {
      this.#cancelRefresh = undefined;
      if (!this.#isHeld || this.#state.problem !== undefined) void this.#refresh();
    });
  }

  async #refresh(): Promise<void> {
    if (this.#isStopped) return;
    if (this.#isRefreshing) {
      this.#refreshSoon(refreshIntervalMs);
      return;
    }
    this.#isRefreshing = true;
    const { first, last } = this.#visible;
    const asked = new AbortController();
    this.#reading.get(-1)?.abort();
    this.#reading.set(-1, asked);
    try {
      const pages = new Map<number, ReadRows<T>>();
      let total = 0;
      for (let page = first; page <= last; page += 1) {
        const isCounted = page === first;
        const read = await this.#read({ offset: page * pageSize, limit: pageSize, isCounted }, asked.signal);
        if (isCounted) total = read.total ?? 0;
        pages.set(page, read);
      }
      if (asked.signal.aborted) return;
      this.#pages = pages;
      this.#set({ total, problem: undefined, changes: 0 });
    } catch (thrown) {
      if (!asked.signal.aborted) this.#failed(ApiError.from(thrown));
    } finally {
      if (this.#reading.get(-1) === asked) this.#reading.delete(-1);
      this.#isRefreshing = false;
    }
    this.#readVisible();
  }

  #failed(problem: ApiError): void {
    this.#set({ problem });
    if (isPassing(problem)) this.#refreshSoon(retryDelayMs);
  }

  #readVisible(): void {
    this.#cancelRest = undefined;
    const { first, last } = this.#visible;
    for (const [page, reading] of this.#reading) if (page >= 0 && (page < first || page > last)) reading.abort();
    const { total } = this.#state;
    if (total === undefined || this.#isStopped) return;
    for (let page = first; page <= last && page * pageSize < total; page += 1) {
      if (!this.#pages.has(page) && !this.#reading.has(page)) void this.#readPage(page);
    }
  }

  async #readPage(page: number): Promise<void> {
    const asked = new AbortController();
    this.#reading.set(page, asked);
    // Going on from where the page before ended costs the same however far down that is.
    const cursor = this.#pages.get(page - 1)?.nextCursor ?? '';
    const place = cursor === '' ? { offset: page * pageSize } : { cursor };
    try {
      const read = await this.#read({ ...place, limit: pageSize, isCounted: false }, asked.signal);
      if (asked.signal.aborted) return;
      this.#pages = nearest(new Map(this.#pages).set(page, read), page);
      this.#set({ problem: undefined });
    } catch (thrown) {
      if (!asked.signal.aborted) this.#failed(ApiError.from(thrown));
    } finally {
      if (this.#reading.get(page) === asked) this.#reading.delete(page);
    }
  }

  #set(change: Partial<Omit<ListState<T>, 'rows'>>): void {
    const next = { ...this.#state, ...change };
    this.#state = { ...next, rows: rowsOf(next.total ?? 0, this.#pages) };
    for (const listener of this.#listeners) listener();
  }
}

function rowsOf<T>(length: number, pages: ReadonlyMap<number, ReadRows<T>>): SparseRows<T> {
  return { length, at: (index) => pages.get(Math.floor(index / pageSize))?.items[index % pageSize] };
}

function nearest<T>(pages: ReadonlyMap<number, T>, to: number): ReadonlyMap<number, T> {
  if (pages.size <= maxKeptPages) return pages;
  return new Map([...pages].toSorted(([a], [b]) => Math.abs(a - to) - Math.abs(b - to)).slice(0, maxKeptPages));
}
