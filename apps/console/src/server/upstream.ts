import { setImmediate } from 'node:timers/promises';
import { type Clock, type Log, messageOf, StatusError } from '@quartermaster/kernel';

export interface UpstreamRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** Of whoever asks. Without one the request has no identity, which is for probes alone. */
  readonly token: string | undefined;
}

/** What is needed of an answer, whichever `fetch` it comes from. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
  json(): Promise<unknown>;
  text(): Promise<string>;
}

export interface UpstreamFetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
  readonly body: Buffer | null;
}

export type UpstreamFetch = (url: URL, options: UpstreamFetchOptions) => Promise<UpstreamAnswer>;

export interface UpstreamOptions {
  /** For messages: `fulfillment service`. */
  readonly title: string;
  /** Base of its REST server, `http://127.0.0.1:8001`; undefined while it is not served. Asked for at every request. */
  readonly url: () => string | undefined;
  readonly clock: Clock;
  /** Told why it does not answer, which names addresses: who asks is told since when. */
  readonly log: Log;
  /** The one of Node unless given. */
  readonly fetch?: UpstreamFetch | undefined;
}

/**
 * A server that the console asks on behalf of others. Knows since when it does not answer. A read is asked twice when its connection is lost: a
 * kept-alive one may be closed by the server in the moment in which it is used again. A write is not, because it may have been done.
 */
export class Upstream {
  readonly title: string;
  readonly #url: () => string | undefined;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #fetch: UpstreamFetch;
  #silentSince: number | undefined;

  constructor({ title, url, clock, log, fetch: ask }: UpstreamOptions) {
    this.title = title;
    this.#url = url;
    this.#clock = clock;
    this.#log = log;
    this.#fetch = ask ?? fetch;
  }

  /** Milliseconds since the epoch; undefined while it answers. */
  get silentSince(): number | undefined {
    return this.#silentSince;
  }

  /** The answer as it begins to arrive, whatever its status. Throws `unavailable`, with `since` in its details, when there is none. */
  async send({ method, path, headers, body, token }: UpstreamRequest, signal: AbortSignal): Promise<UpstreamAnswer> {
    const base = this.#url();
    if (base === undefined) throw this.#silent('it is not served yet');
    const identity = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    const ask = (): Promise<UpstreamAnswer> =>
      this.#fetch(new URL(path, base), {
        method,
        headers: { ...headers, ...identity },
        redirect: 'manual',
        signal,
        body: body === undefined ? null : Buffer.from(body),
      });
    try {
      const answer = await ask().catch(async (thrown: unknown) => {
        if (signal.aborted || method !== 'GET' || !isConnectionLost(thrown)) throw thrown;
        // Whatever else the server closed is told in this turn, so that the second try finds none of it.
        await setImmediate();
        return await ask();
      });
      this.#silentSince = undefined;
      return answer;
    } catch (cause) {
      if (signal.aborted) throw cause;
      throw this.#silent(messageOf(cause), cause);
    }
  }

  #silent(why: string, cause?: unknown): StatusError {
    if (this.#silentSince === undefined) this.#log.warn('an upstream does not answer', { upstream: this.title, error: why });
    this.#silentSince ??= this.#clock.now();
    const since = this.#silentSince;
    const message = `the ${this.title} has not answered since ${new Date(since).toISOString()}: it is asked again by itself`;
    return new StatusError('unavailable', message, { cause, details: { since } });
  }
}

/** That a connection which had been there broke; not that none could be had. */
const lostCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** `fetch` hides the code of a failure in its cause. */
function isConnectionLost(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if ('code' in error && typeof error.code === 'string' && lostCodes.has(error.code)) return true;
  }
  return false;
}
