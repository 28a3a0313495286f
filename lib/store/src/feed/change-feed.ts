import { randomUUID } from 'node:crypto';
import { type Clock, coalesced, codeOf, type Log, limit, messageOf, type Random, StatusError } from '@quartermaster/kernel';
import type { Database } from '../database.ts';
import type { Bookmark, Change } from './change.ts';
import { type FeedLag, readLag } from './feed-lag.ts';
import { FeedReader } from './feed-reader.ts';
import { pruneFeed, type Retention } from './feed-retention.ts';
import { type FeedRow, readHistory, readNow, readPage } from './feed-table.ts';
import { expired, formatToken, type Position, parseToken } from './position.ts';

export interface ChangeFeedOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What is kept for readers that come back; a week and 4 GiB without it. */
  readonly retention?: { readonly [limit in keyof Retention]?: Retention[limit] | undefined } | undefined;
  /** Bytes and rows of the newest changes that are kept in memory for all readers together. */
  readonly window?: { readonly maxRows: number; readonly maxBytes: number };
}

const channel = 'quartermaster_feed';
const defaultRetention: Retention = { maxAgeMs: 7 * 24 * 3_600_000, maxBytes: 2 ** 32 };
const defaultWindow = { maxRows: 8_192, maxBytes: 32 << 20 };
/** Notifications of one process to the others come no closer than this. */
const notifyIntervalMs = 10;
const pruneIntervalMs = 10 * 60_000;
const measureIntervalMs = 2_000;
const bookmarkIntervalMs = 30_000;
const rowsAtATime = 256;
/** How often a reader looks again when nothing woke it. */
const lookIntervalMs = 1_000;
/** Readers that are behind read the table themselves, so many of them at a time. */
const maxConcurrentCatchUps = 2;

/**
 * Tells readers what changed, each change at least once and those of one object in the order in which they were committed. A reader keeps nothing here but its place:
 * near the end it is served from memory, further back from the table, so a slow one costs nobody else anything. Any number of processes may serve
 * the same feed.
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #retention: Retention;
  readonly #reader: FeedReader;
  readonly #catchUp = limit(maxConcurrentCatchUps);
  readonly #ended = new AbortController();
  /** Tells our own notifications from those of other processes. */
  readonly #self = randomUUID();
  readonly #notifier: ReturnType<typeof coalesced>;
  #unlisten = (): void => {};
  #cancelPrune = (): void => {};
  #cancelMeasure = (): void => {};
  #lag: FeedLag | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    const { maxAgeMs = defaultRetention.maxAgeMs, maxBytes = defaultRetention.maxBytes } = options.retention ?? {};
    this.#retention = { maxAgeMs, maxBytes };
    this.#reader = new FeedReader({ ...options, window: options.window ?? defaultWindow });
    this.#notifier = coalesced(options.clock, notifyIntervalMs, () => void this.#notify());
  }

  start(): void {
    this.#unlisten = this.#options.database.listen(channel, (from) => {
      if (from !== this.#self) this.#reader.wake();
    });
    this.#running = this.#reader.run(this.#ended.signal);
    this.#pruneLater();
    this.#measureLater(0);
  }

  /** As it was measured last, every two seconds; undefined while nobody knows, since the database does not answer. */
  lag(): FeedLag | undefined {
    return this.#lag;
  }

  /** To be called after each commit that added changes. Without it they arrive as well, up to a second later. */
  wake(): void {
    this.#reader.wake();
    this.#notifier.trigger();
  }

  /** A place in the feed after which everything lies that is committed from now on. For a list that a watch shall continue, ask before the list. */
  async now(): Promise<string> {
    const { database } = this.#options;
    const [history, { last }] = await Promise.all([readHistory(database), readNow(database)]);
    return formatToken(history, last);
  }

  /**
   * What was committed after the token; without one, after now. The first item is a bookmark, which shows that the reading has begun; more come now and then, while
   * nothing else does. Ends when the signal aborts. Throws `failed_precondition` with `tokenExpired` when it can no longer tell what was missed, `invalid_argument` for what
   * is no token, and `unavailable` when this process stops. A database that is away meanwhile is waited for.
   */
  async *read(from: string | undefined, signal: AbortSignal): AsyncGenerator<Change | Bookmark, void, undefined> {
    const { database, clock } = this.#options;
    const leave = this.#reader.join();
    try {
      const history = await readHistory(database);
      const now = from === undefined ? await readNow(database) : undefined;
      let position = now?.last ?? parseToken(history, from ?? '');
      let rows: readonly FeedRow[] = from === undefined ? [] : await this.#page(history, position);
      yield { bookmark: formatToken(history, position) };
      let bookmarkAt = clock.monotonic() + bookmarkIntervalMs;
      while (!signal.aborted) {
        for (const row of rows) {
          position = row.position;
          // It was committed before, and only waited for an older transaction.
          if (now?.isBefore(position.xid) === true) continue;
          yield row.change;
          if (signal.aborted) return;
        }
        rows = await this.#next(history, position, bookmarkAt, signal);
        if (rows.length === 0 && clock.monotonic() >= bookmarkAt) {
          yield { bookmark: formatToken(history, position) };
          bookmarkAt = clock.monotonic() + bookmarkIntervalMs;
        }
      }
    } finally {
      leave();
    }
  }

  /** Removes what the retention does not keep; happens by itself every ten minutes. Returns how many changes. */
  async prune(): Promise<number> {
    return await pruneFeed(this.#options.database, this.#retention);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    this.#cancelPrune();
    this.#cancelMeasure();
    this.#notifier.stop();
    this.#unlisten();
    this.#reader.wakeReaders();
    await this.#running;
  }

  /** The next rows after the position, or none when it is time for a bookmark or the signal aborted. */
  async #next(history: Uint8Array, position: Position, until: number, signal: AbortSignal): Promise<readonly FeedRow[]> {
    const { clock } = this.#options;
    while (!signal.aborted && clock.monotonic() < until) {
      if (this.#ended.signal.aborted) throw new StatusError('unavailable', 'the service stops; watch again from the last token');
      const { window } = this.#reader;
      if (window !== undefined) {
        if (!Buffer.from(history).equals(window.history)) throw expired('the database was restored or failed over');
        const rows = window.rows.after(position, rowsAtATime) ?? (await this.#page(history, position).catch(noneWhileAway));
        if (rows.length > 0) return rows;
      }
      await this.#reader.changed(Math.min(until - clock.monotonic(), lookIntervalMs), signal);
    }
    return [];
  }

  async #page(history: Uint8Array, position: Position): Promise<readonly FeedRow[]> {
    const { rows } = await this.#catchUp(() => readPage(this.#options.database, history, position, rowsAtATime));
    return rows;
  }

  async #notify(): Promise<void> {
    try {
      await this.#options.database.query({ name: 'feed-notify', text: `select pg_notify('${channel}', $1)` }, [this.#self]);
    } catch (thrown) {
      this.#options.log.debug('other processes were not notified of changes; they will find them by polling', { error: messageOf(thrown) });
    }
  }

  #measureLater(afterMs: number): void {
    const { clock, database } = this.#options;
    this.#cancelMeasure = clock.schedule(afterMs, () => {
      void readLag(database, this.#reader.window?.rows.end)
        .catch(() => undefined)
        .then((lag) => {
          this.#lag = lag;
          if (!this.#ended.signal.aborted) this.#measureLater(measureIntervalMs);
        });
    });
  }

  #pruneLater(): void {
    const { clock, random, log } = this.#options;
    this.#cancelPrune = clock.schedule(pruneIntervalMs * (0.5 + random.next()), () => {
      void this.prune()
        .catch((thrown: unknown) => log.warn('old changes were not deleted; retrying later', { error: messageOf(thrown) }))
        .finally(() => {
          if (!this.#ended.signal.aborted) this.#pruneLater();
        });
    });
  }
}

/** The place is known, so nothing is lost by asking again later. */
function noneWhileAway(thrown: unknown): readonly FeedRow[] {
  if (codeOf(thrown) === 'unavailable') return [];
  throw thrown;
}
