import { Backoff, type Clock, type Log, messageOf, type Random } from '@quartermaster/kernel';
import type { Database } from '../database.ts';
import { readHistory, readNow, readPage, removeForeignRows } from './feed-table.ts';
import { FeedWindow } from './feed-window.ts';
import { WaitPoint } from './wait-point.ts';

interface FeedReaderOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly window: { readonly maxRows: number; readonly maxBytes: number };
}

/** The newest rows, and the history that they are of. */
interface OpenWindow {
  readonly history: Uint8Array;
  readonly rows: FeedWindow;
}

const rowsAtATime = 512;
/** Looks so often when nobody wakes it: a notification may get lost. */
const pollIntervalMs = 1_000;
/** Looks so often, and then less and less, while rows wait for an older transaction to end. */
const minLookMs = 2;
const maxLookMs = 100;

/**
 * Follows the table for all readers of a process, while there are any. When the database was away it begins with a new window at the end of the feed, and readers fill
 * what lies between from the table.
 */
export class FeedReader {
  readonly #options: FeedReaderOptions;
  readonly #wanted: WaitPoint;
  readonly #changed: WaitPoint;
  readonly #backoff: Backoff;
  #readers = 0;
  #isWoken = false;
  #window: OpenWindow | undefined;

  constructor(options: FeedReaderOptions) {
    this.#options = options;
    this.#wanted = new WaitPoint(options.clock);
    this.#changed = new WaitPoint(options.clock);
    this.#backoff = new Backoff({ firstMs: 50, maxMs: 2_000, factor: 2 }, options.random);
  }

  /** Undefined while the table is not being followed. */
  get window(): OpenWindow | undefined {
    return this.#window;
  }

  /** One more reader; the returned function takes it away again. */
  join(): () => void {
    this.#readers += 1;
    if (this.#readers === 1) this.wake();
    return () => {
      this.#readers -= 1;
    };
  }

  /** Something may have been committed. */
  wake(): void {
    this.#isWoken = true;
    this.#wanted.wakeAll();
  }

  /** Ends the waits of all readers. */
  wakeReaders(): void {
    this.#changed.wakeAll();
  }

  /** Waits until the window has more or is another one. */
  changed(forMs: number, signal: AbortSignal): Promise<void> {
    return this.#changed.wait(forMs, signal);
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    let lookMs = minLookMs;
    while (!signal.aborted) {
      try {
        this.#isWoken = false;
        const step = this.#readers === 0 ? this.#rest() : await this.#step();
        lookMs = step === 'waiting' ? Math.min(lookMs * 2, maxLookMs) : minLookMs;
        if (step === 'more') continue;
        await this.#pause(step === 'waiting' ? lookMs : pollIntervalMs, signal);
        this.#backoff.reset();
      } catch (thrown) {
        this.#window = undefined;
        const afterMs = this.#backoff.nextMs();
        this.#options.log.warn('the change feed cannot be read; retrying', { error: messageOf(thrown), afterMs });
        await this.#wanted.wait(afterMs, signal);
      }
    }
    this.wakeReaders();
  }

  #rest(): 'idle' {
    this.#window = undefined;
    return 'idle';
  }

  async #step(): Promise<'more' | 'waiting' | 'idle'> {
    const window = this.#window ?? (await this.#open());
    const page = await readPage(this.#options.database, window.history, window.rows.end, rowsAtATime);
    if (page.rows.length > 0) {
      window.rows.append(page.rows);
      this.wakeReaders();
    }
    if (page.rows.length === rowsAtATime) return 'more';
    return page.hasWaiting ? 'waiting' : 'idle';
  }

  async #open(): Promise<OpenWindow> {
    const { database, window: limits } = this.#options;
    await removeForeignRows(database);
    const history = await readHistory(database);
    const rows = new FeedWindow((await readNow(database)).last, limits);
    this.#window = { history, rows };
    this.wakeReaders();
    return this.#window;
  }

  async #pause(forMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isWoken) await this.#wanted.wait(forMs, signal);
  }
}
