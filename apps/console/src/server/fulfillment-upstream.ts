import { setImmediate } from 'node:timers/promises';
import { type Clock, messageOf, StatusError } from '@quartermaster/kernel';

/** How the console reaches the fulfillment service for the pages that show hosts, clusters and what belongs to them. */
export interface FulfillmentAccess {
  /** Base of the REST server, `http://127.0.0.1:8001`; undefined while it is not served. */
  restUrl(): string | undefined;
  /** Of the installation itself: whoever looks without having signed in is this one. Asked for at every request. */
  token(): Promise<string>;
}

export interface UpstreamRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** Of whoever asks; without one the installation itself does. */
  readonly token: string | undefined;
}

/**
 * The fulfillment service as the console reaches it. Knows since when it does not answer. A read is asked twice when its connection is lost: a
 * kept-alive one may be closed by the service in the moment in which it is used again. A write is not, because it may have been done.
 */
export class FulfillmentUpstream {
  readonly #access: FulfillmentAccess;
  readonly #clock: Clock;
  #silentSince: number | undefined;

  constructor(access: FulfillmentAccess, clock: Clock) {
    this.#access = access;
    this.#clock = clock;
  }

  /** The answer as it begins to arrive, whatever its status. Throws `unavailable`, with `since` in its details, when there is none. */
  async send({ method, path, headers, body, token }: UpstreamRequest, signal: AbortSignal): Promise<Response> {
    const base = this.#access.restUrl();
    if (base === undefined) throw this.#silent('it is not served yet');
    const authorization = `Bearer ${token ?? (await this.#access.token())}`;
    const ask = (): Promise<Response> =>
      fetch(new URL(path, base), {
        method,
        headers: { ...headers, authorization },
        redirect: 'manual',
        signal,
        body: body === undefined ? null : Buffer.from(body),
      });
    try {
      const answer = await ask().catch(async (thrown: unknown) => {
        if (signal.aborted || method !== 'GET' || !isConnectionLost(thrown)) throw thrown;
        // Whatever else the service closed is told in this turn, so that the second try finds none of it.
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
    this.#silentSince ??= this.#clock.now();
    const since = this.#silentSince;
    const message = `the fulfillment service has not answered since ${new Date(since).toISOString()} (${why}): retrying automatically`;
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
