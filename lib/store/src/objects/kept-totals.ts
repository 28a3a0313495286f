import type { Clock } from '@quartermaster/kernel';
import type { PoolFigures } from '../database.ts';
import type { KeptTotal } from './kept-total.ts';

export interface KeptTotalsOptions {
  readonly clock: Clock;
  readonly figures: () => Pick<PoolFigures, 'lost'>;
}

interface Entry {
  readonly kept: KeptTotal;
  /** Connections that were lost when it was read. A server that crashed may give out numbers of transactions again, so that a snapshot from before means nothing. */
  readonly lost: number;
  readonly readAt: number;
  readonly usedAt: number;
}

interface Count {
  times: number;
  /** Of the first one; or later, when it is not to be kept before. */
  readonly at: number;
}

/** Fewer are counted faster than kept. */
const minTotal = 500;
/** All ids together: about 100 bytes each. */
const maxIds = 500_000;
/** So often within the time below a total must have been counted to be kept. */
const frequent = 3;
const forgetAfterMs = 30_000;
/** What changes too fast to be carried forward is read no more often than this. */
const readAgainAfterMs = 5_000;
/** A total that was used within this time makes no room for another: two that do not fit together would be read in turn. */
const inUseMs = 10_000;
const maxCounts = 500;

/** The totals of lists that come again and again, each by the condition that it is of. */
export class KeptTotals {
  readonly #options: KeptTotalsOptions;
  readonly #entries = new Map<string, Entry>(); // condition -> total; the one that was used longest ago first
  readonly #counts = new Map<string, Count>(); // condition -> how often it was counted; likewise
  readonly #loading = new Set<string>();

  constructor(options: KeptTotalsOptions) {
    this.#options = options;
  }

  find(condition: string): KeptTotal | undefined {
    const entry = this.#entries.get(condition);
    if (entry === undefined) return undefined;
    this.#entries.delete(condition);
    const now = this.#options.clock.monotonic();
    if (entry.lost !== this.#options.figures().lost || now - entry.usedAt > forgetAfterMs) return undefined;
    this.#entries.set(condition, { ...entry, usedAt: now });
    return entry.kept;
  }

  /** For one that could not be carried forward. */
  forget(condition: string): void {
    const entry = this.#entries.get(condition);
    if (entry === undefined) return;
    this.#entries.delete(condition);
    this.#remember(condition, { times: 0, at: entry.readAt + readAgainAfterMs });
  }

  /**
   * To be told of every total that was counted. Reads who matches, to keep it, when that was often lately and is worth it. Never fails, and nobody has to wait for it: whoever
   * counted has the answer. A total that could not be read is counted until it has been frequent once more.
   */
  async counted(condition: string, total: number, read: () => Promise<KeptTotal>): Promise<void> {
    if (total < minTotal || this.#loading.has(condition) || !this.#isFrequent(condition) || !this.#hasRoom(total)) return;
    this.#loading.add(condition);
    this.#counts.delete(condition);
    const { lost } = this.#options.figures();
    try {
      const kept = await read();
      const now = this.#options.clock.monotonic();
      this.#keep(condition, { kept, lost, readAt: now, usedAt: now });
    } catch {
      // That the pool is busy or the database away is told to those who need an answer.
    } finally {
      this.#loading.delete(condition);
    }
  }

  #hasRoom(total: number): boolean {
    const now = this.#options.clock.monotonic();
    const inUse = [...this.#entries.values()].filter(({ usedAt }) => now - usedAt <= inUseMs);
    return inUse.reduce((sum, { kept }) => sum + kept.size, total) <= maxIds;
  }

  #keep(condition: string, entry: Entry): void {
    this.#entries.delete(condition);
    this.#entries.set(condition, entry);
    let ids = [...this.#entries.values()].reduce((sum, { kept }) => sum + kept.size, 0);
    for (const [oldest, { kept }] of this.#entries) {
      if (ids <= maxIds) break;
      this.#entries.delete(oldest);
      ids -= kept.size;
    }
  }

  #isFrequent(condition: string): boolean {
    const now = this.#options.clock.monotonic();
    const known = this.#counts.get(condition);
    const count = known === undefined || now - known.at > forgetAfterMs ? { times: 0, at: now } : known;
    count.times += 1;
    this.#remember(condition, count);
    return count.times >= frequent && now >= count.at;
  }

  #remember(condition: string, count: Count): void {
    this.#counts.delete(condition);
    this.#counts.set(condition, count);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > maxCounts && oldest !== undefined) this.#counts.delete(oldest);
  }
}
