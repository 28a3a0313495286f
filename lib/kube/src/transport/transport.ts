import type { Readable } from 'node:stream';
import { type Clock, retryAfterMsOf, sleep, systemClock } from '@quartermaster/kernel';
import type { Dispatcher } from 'undici';
import type { KubeCredentials, Session } from './credentials.ts';
import { Deadline } from './deadline.ts';
import { guarded } from './dispatcher.ts';
import { isFailure } from './failure.ts';
import { errorFromAnswer, readStatus, unreadableError } from './failure-from-answer.ts';

export interface KubeRequest {
  /** What is being asked, for messages: `get pods default/web`. */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path on the API server, already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Sends the time limit to the server as well. Not for requests that the server hands on. */
  readonly sendsTimeout?: boolean | undefined;
  /** Runs at the last moment before the request's bytes leave; what it throws stops the request and reaches the caller. */
  readonly guard?: (() => void) | undefined;
}

export interface TransportOptions {
  readonly credentials: KubeCredentials;
  readonly userAgent?: string | undefined;
  /** Limit of a whole request when it sets none. */
  readonly timeoutMs?: number | undefined;
  /** How often a request that the server throttled (429 with Retry-After) is sent again before the error reaches the caller. */
  readonly maxThrottleRetries?: number | undefined;
  /** Headers that tell the server on whose behalf a request is made, asked for at each: a W3C trace context. None unless given. */
  readonly traceHeaders?: (() => Readonly<Record<string, string>>) | undefined;
  readonly clock?: Clock | undefined;
}

/** An answer whose body is still arriving. Whoever opens it reads it to the end or aborts the request's signal. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Readable;
}

/**
 * Requests to one API server over one shared agent. Throttled requests are repeated after the time that the server asked for (a
 * 429 that asks for none, as of an eviction that a disruption budget forbids, is the answer); a refused identity is loaded again and
 * tried once more; reads are repeated once when a kept-alive connection turns out dead. Writes whose fate is unknown are never
 * repeated here.
 */
export class KubeTransport {
  readonly credentials: KubeCredentials;
  readonly #userAgent: string;
  readonly #timeoutMs: number;
  readonly #maxThrottleRetries: number;
  readonly #traceHeaders: () => Readonly<Record<string, string>>;
  readonly #clock: Clock;

  constructor(options: TransportOptions) {
    this.credentials = options.credentials;
    this.#userAgent = options.userAgent ?? 'quartermaster';
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#maxThrottleRetries = options.maxThrottleRetries ?? 3;
    this.#traceHeaders = options.traceHeaders ?? (() => ({}));
    this.#clock = options.clock ?? systemClock;
  }

  /** The answer's whole body. The caller owns the bytes. */
  async bytes(request: KubeRequest): Promise<Buffer> {
    const deadline = new Deadline(request.timeoutMs ?? this.#timeoutMs, request.signal);
    try {
      return await this.#retrying(request, deadline, async () => readBytes(request.what, await this.#send(request, deadline), deadline));
    } finally {
      deadline.end();
    }
  }

  async text(request: KubeRequest): Promise<string> {
    return (await this.bytes(request)).toString('utf8');
  }

  async json<T>(request: KubeRequest): Promise<T> {
    const text = await this.text(request);
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw unreadableError(request.what, error);
    }
  }

  /** A streaming answer: `timeoutMs` limits the time until its head arrives, not the body. */
  async open(request: KubeRequest): Promise<OpenAnswer> {
    const deadline = new Deadline(request.timeoutMs ?? this.#timeoutMs, request.signal);
    try {
      const answer = await this.#retrying(request, deadline, () => this.#send(request, deadline));
      deadline.disarm();
      answer.body.once('close', () => deadline.end());
      return answer;
    } catch (error) {
      deadline.end();
      throw error;
    }
  }

  async #retrying<T>(request: KubeRequest, deadline: Deadline, send: () => Promise<T>): Promise<T> {
    let refreshed = false;
    let reconnected = false;
    let throttled = 0;
    for (;;) {
      try {
        return await send();
      } catch (error) {
        if (isFailure(error, 'unauthorized') && !refreshed) {
          refreshed = true;
          await deadline.within(request.what, this.credentials.refresh());
        } else if (isFailure(error, 'connection') && request.method === 'GET' && !reconnected) {
          reconnected = true;
        } else if (isFailure(error, 'throttled') && retryAfterMsOf(error) !== undefined && throttled < this.#maxThrottleRetries) {
          throttled += 1;
          await this.#waitThrottled(error, deadline);
        } else {
          throw error;
        }
      }
    }
  }

  async #waitThrottled(error: unknown, deadline: Deadline): Promise<void> {
    // The caller learns of the throttling, not of a time-out that hides it.
    await sleep(this.#clock, retryAfterMsOf(error) ?? 0, deadline.signal).catch((reason: unknown) => {
      throw deadline.timedOut ? error : reason;
    });
  }

  async #send(request: KubeRequest, deadline: Deadline): Promise<OpenAnswer> {
    const session = await deadline.within(request.what, this.credentials.session());
    let refusal: { readonly error: unknown } | undefined;
    const { guard } = request;
    const dispatcher =
      guard === undefined
        ? session.dispatcher
        : guarded(session.dispatcher, () => {
            try {
              guard();
            } catch (error) {
              refusal = { error };
              throw error;
            }
          });
    const sent = dispatcher.request(this.#dispatchOptions(request, session, deadline)).catch((error: unknown) => {
      throw refusal === undefined ? deadline.explain(request.what, error) : refusal.error;
    });
    // undici takes notice of the signal only once it has a connection. It does not send after that.
    const answer = await deadline.within(request.what, sent);
    if (answer.statusCode >= 200 && answer.statusCode < 300) {
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    }
    const status = await readStatus(answer.body);
    // The server gave up at the limit that it was told.
    if (answer.statusCode === 504 && deadline.timedOut) throw deadline.explain(request.what, undefined);
    throw errorFromAnswer(request.what, answer.statusCode, status, headerText(answer.headers['retry-after']));
  }

  #dispatchOptions(request: KubeRequest, session: Session, deadline: Deadline): Dispatcher.RequestOptions {
    const timeout = request.sendsTimeout === true ? `${Math.max(Math.ceil(deadline.remainingMs()), 1)}ms` : undefined;
    return {
      origin: session.origin,
      path: session.basePath + request.path + queryText({ ...request.query, timeout }),
      method: request.method,
      headers: {
        ...this.#traceHeaders(),
        'user-agent': this.#userAgent,
        accept: request.accept ?? 'application/json',
        'content-type': request.body && (request.contentType ?? 'application/json'),
        ...session.headers,
      },
      body: request.body ?? null,
      // undici gives up a connection after a DELETE with a body, in case a server mistakes that for the next request; API servers read it.
      reset: false,
      signal: deadline.signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  }
}

async function readBytes(what: string, { body }: OpenAnswer, deadline: Deadline): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk as Buffer);
  } catch (error) {
    throw deadline.explain(what, error);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

function queryText(query: KubeRequest['query']): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function headerText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
