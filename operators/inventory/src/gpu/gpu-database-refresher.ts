/**
 * Keeps the GPU database like the one at a URL. The database in force changes only as a whole, and only for an answer that keeps every
 * rule: when the server is away, answers something else or sends a database without a single device, the last good one stays and the
 * status says why.
 */
import { createHash } from 'node:crypto';
import {
  type Clock,
  type Log,
  messageOf,
  pause,
  type Random,
  StatusError,
  silentLog,
  systemClock,
  systemRandom,
} from '@quartermaster/kernel';
import { type GpuDatabase, parseGpuDatabase } from './gpu-database.ts';

/** As much of `fetch` as is needed. */
export type HttpGet = (url: string, init: { readonly headers: Record<string, string>; readonly signal: AbortSignal }) => Promise<Response>;

export interface GpuDatabaseRefresherOptions {
  readonly url: string;
  /** In force until the first good answer. */
  readonly initial: GpuDatabase;
  /** Give or take a tenth. Default 5 minutes. */
  readonly intervalMs?: number | undefined;
  /** For one request. Default 30 s. */
  readonly timeoutMs?: number | undefined;
  readonly get?: HttpGet | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
  /** Told of each database that takes effect. */
  onChange(database: GpuDatabase): void;
}

export interface GpuDatabaseStatus {
  /** `initial`: nothing was read yet. `failing`: the last try failed, and what was read before it is in force. */
  readonly state: 'initial' | 'current' | 'failing';
  /** When the server last confirmed what is in force, in milliseconds since the epoch. */
  readonly confirmedAt: number | undefined;
  readonly devices: number;
  readonly problem: string | undefined;
}

const maxAnswerBytes = 8 * 2 ** 20;

export class GpuDatabaseRefresher {
  readonly #options: GpuDatabaseRefresherOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  #database: GpuDatabase;
  #etag: string | undefined;
  #hash: string | undefined;
  #confirmedAt: number | undefined;
  #problem: string | undefined;

  constructor(options: GpuDatabaseRefresherOptions) {
    this.#options = options;
    this.#database = options.initial;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#log = options.log ?? silentLog;
    requireHttp(options.url);
  }

  get current(): GpuDatabase {
    return this.#database;
  }

  status(): GpuDatabaseStatus {
    const state = this.#problem !== undefined ? 'failing' : this.#confirmedAt === undefined ? 'initial' : 'current';
    return { state, confirmedAt: this.#confirmedAt, devices: deviceCount(this.#database), problem: this.#problem };
  }

  /** Refreshes at once and then regularly, until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const intervalMs = this.#options.intervalMs ?? 300_000;
    while (!signal.aborted) {
      await this.refresh(signal);
      await pause(this.#clock, intervalMs * (0.9 + 0.2 * this.#random.next()), signal);
    }
  }

  /** One try. Never rejects: what goes wrong shows in the status, and in the log when it is another problem than before. */
  async refresh(signal: AbortSignal): Promise<void> {
    try {
      await this.#read(signal);
      if (this.#problem !== undefined) this.#log.info('GPU database can be read again', { url: this.#options.url });
      this.#problem = undefined;
      this.#confirmedAt = this.#clock.now();
    } catch (thrown) {
      if (signal.aborted) return;
      const problem = messageOf(thrown);
      if (problem !== this.#problem) {
        this.#log.warn('GPU database not refreshed, the last good one stays', { url: this.#options.url, error: problem });
      }
      this.#problem = problem;
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { url, timeoutMs = 30_000 } = this.#options;
    const get = this.#options.get ?? fetch;
    const headers: Record<string, string> = { accept: 'application/json' };
    if (this.#etag !== undefined) headers['if-none-match'] = this.#etag;
    const limit = new AbortController();
    const cancel = this.#clock.schedule(timeoutMs, () => limit.abort(new StatusError('unavailable', `no answer within ${timeoutMs} ms`)));
    try {
      const answer = await get(url, { headers, signal: AbortSignal.any([signal, limit.signal]) });
      if (answer.status === 304 && this.#hash !== undefined) return;
      if (answer.status !== 200) throw new StatusError('unavailable', `GET ${url}: status ${answer.status}, expected 200`);
      this.#take(await boundedText(answer), answer.headers.get('etag') ?? undefined);
    } finally {
      cancel();
    }
  }

  #take(text: string, etag: string | undefined): void {
    const hash = createHash('sha256').update(text).digest('hex');
    if (hash !== this.#hash) {
      const database = parseGpuDatabase(text);
      if (deviceCount(database) === 0) throw new StatusError('invalid_argument', 'GPU database: has no devices');
      this.#hash = hash;
      this.#database = database;
      this.#log.info('GPU database replaced', { url: this.#options.url, devices: deviceCount(database) });
      this.#options.onChange(database);
    }
    this.#etag = etag;
  }
}

async function boundedText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | null = answer.body;
  if (body === null) return '';
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxAnswerBytes) throw new StatusError('invalid_argument', `GPU database: larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function deviceCount(database: GpuDatabase): number {
  let count = 0;
  for (const { devices } of database.values()) count += devices.size;
  return count;
}

function requireHttp(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new StatusError('invalid_argument', `URL of the GPU database ${JSON.stringify(url)} must begin with http:// or https://`);
  }
}
