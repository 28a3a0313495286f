/**
 * Keeps a copy of the GPU database at a URL. A copy is handed on only as a whole, and only if it keeps every rule: when the server is away, answers
 * something else or sends a database without a single device, the last good one stays and the problem is told. So it is when the copy
 * cannot be kept.
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
import { deviceCount, parseGpuDatabase } from './gpu-database.ts';
import { maxDatabaseBytes } from './packed-gpu-database.ts';

/** As much of `fetch` as is needed. */
export type HttpGet = (url: string, init: { readonly headers: Record<string, string>; readonly signal: AbortSignal }) => Promise<Response>;

export interface GpuDatabaseRefresherOptions {
  readonly url: string;
  /** Give or take a tenth. Default 5 minutes. */
  readonly intervalMs?: number | undefined;
  /** For one request. Default 30 s. */
  readonly timeoutMs?: number | undefined;
  readonly get?: HttpGet | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly log?: Log | undefined;
}

/** Where the copy is kept. */
export interface DatabaseCopy {
  /** The SHA-256 of its text, in hex; undefined while there is none. */
  readonly hash: string | undefined;
  /** Takes the place of the copy. What it throws is the problem, and the next refresh tries again. */
  keep(text: string, signal: AbortSignal): Promise<void>;
}

export class GpuDatabaseRefresher {
  readonly #options: GpuDatabaseRefresherOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Log;
  #etag: string | undefined;
  #hash: string | undefined;
  #problem: string | undefined;

  constructor(options: GpuDatabaseRefresherOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#log = options.log ?? silentLog;
    requireHttp(options.url);
  }

  /** Why the last try failed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Refreshes at once and then regularly, until the signal aborts. Never rejects. */
  async run(copy: DatabaseCopy, signal: AbortSignal): Promise<void> {
    const intervalMs = this.#options.intervalMs ?? 300_000;
    while (!signal.aborted) {
      await this.refresh(copy, signal);
      await pause(this.#clock, intervalMs * (0.9 + 0.2 * this.#random.next()), signal);
    }
  }

  /** One try. Never rejects: what goes wrong is the problem, and in the log when it is another one than before. */
  async refresh(copy: DatabaseCopy, signal: AbortSignal): Promise<void> {
    try {
      await this.#read(copy, signal);
      if (this.#problem !== undefined) this.#log.info('GPU database can be read again', { url: this.#options.url });
      this.#problem = undefined;
    } catch (thrown) {
      if (signal.aborted) return;
      const problem = messageOf(thrown);
      if (problem !== this.#problem) {
        this.#log.warn('GPU database not refreshed, the last good one stays', { url: this.#options.url, error: problem });
      }
      this.#problem = problem;
    }
  }

  async #read(copy: DatabaseCopy, signal: AbortSignal): Promise<void> {
    const { url, timeoutMs = 30_000 } = this.#options;
    const get = this.#options.get ?? fetch;
    const headers: Record<string, string> = { accept: 'application/json' };
    const isKept = this.#hash !== undefined && this.#hash === copy.hash;
    if (isKept && this.#etag !== undefined) headers['if-none-match'] = this.#etag;
    const limit = new AbortController();
    const cancel = this.#clock.schedule(timeoutMs, () => limit.abort(new StatusError('unavailable', `no answer within ${timeoutMs} ms`)));
    try {
      const answer = await get(url, { headers, signal: AbortSignal.any([signal, limit.signal]) });
      if (answer.status === 304 && isKept) return;
      if (answer.status !== 200) throw new StatusError('unavailable', `GET ${url}: status ${answer.status}, expected 200`);
      const text = await boundedText(answer);
      const hash = hashOf(text);
      if (hash !== copy.hash) {
        if (deviceCount(parseGpuDatabase(text)) === 0) throw new StatusError('invalid_argument', 'GPU database: has no devices');
        await copy.keep(text, signal);
      }
      this.#hash = hash;
      this.#etag = answer.headers.get('etag') ?? undefined;
    } finally {
      cancel();
    }
  }
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

async function boundedText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | null = answer.body;
  if (body === null) return '';
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxDatabaseBytes) throw new StatusError('invalid_argument', `GPU database: larger than ${maxDatabaseBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function requireHttp(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new StatusError('invalid_argument', `URL of the GPU database ${JSON.stringify(url)} must begin with http:// or https://`);
  }
}
