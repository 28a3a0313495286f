import type { JsonObject } from '@bufbuild/protobuf';
import { Backoff, type Clock, pause, type Random, StatusError, systemClock, systemRandom } from '@quartermaster/kernel';
import { reconnectBackoff } from '../server/watch-connections.ts';
import type { GatewayClient, GatewayStream } from './gateway-client.ts';
import { endFailure, type StreamEnd } from './gateway-failure.ts';
import { jsonAnswer } from './json-answer.ts';
import { StreamMerge } from './stream-merge.ts';

/** The gateway of a lease, and the right to ask it. */
export interface GatewayAccess {
  /** `/lease/7/1/1`. */
  readonly path: string;
  readonly client: GatewayClient;
  /** When to ask for another, since this one ends soon after. Undefined: never. */
  readonly renewAfterMs?: number | undefined;
}

export interface StreamOptions {
  readonly open: () => Promise<GatewayAccess>;
  /** What is asked for below the lease: `/logs?follow=true`. */
  readonly target: (connection: 'first' | 'another') => string;
  /** Whether another connection begins with what was told already. */
  readonly repeats: boolean;
  /** Whether to go on after a connection broke. */
  readonly follow: boolean;
  readonly take: (message: JsonObject) => void;
  /** A line about the connection itself. */
  readonly warn: (line: string) => void;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/**
 * Reads a stream of a gateway until the gateway says that there is no more, or the signal aborts. Following, it connects again when the connection breaks and, before its
 * token ends, while the old connection still brings what is new: then no line is lost or told twice.
 */
export async function readStream(options: StreamOptions, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  try {
    await new StreamReader(options, AbortSignal.any([signal, over.signal])).run();
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    over.abort();
  }
}

interface Connection extends GatewayStream {
  readonly openedAt: number;
  /** When to have another. Undefined: never. */
  readonly dueAt: number | undefined;
}

/** Two connections overlap for so long. */
const overlapMs = 5_000;
/** One that lasted so long was a good one. */
const goodMs = 30_000;
// Waiting mends none of these.
const finalCodes: ReadonlySet<string> = new Set([
  ...['unauthenticated', 'permission_denied', 'invalid_argument', 'not_found', 'failed_precondition'],
]);

class StreamReader {
  readonly #options: StreamOptions;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  readonly #merge: StreamMerge;
  readonly #backoff: Backoff;

  constructor(options: StreamOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#clock = options.clock ?? systemClock;
    this.#merge = new StreamMerge(options);
    this.#backoff = new Backoff(reconnectBackoff, options.random ?? systemRandom);
  }

  async run(): Promise<void> {
    let current = await this.#connect('first');
    let isLate = false;
    for (;;) {
      const end = await this.#next(current, isLate);
      if (this.#signal.aborted) return;
      if (end === 'due') {
        const fresh = await this.#overlapping(current);
        isLate = fresh === undefined;
        current = fresh ?? current;
        continue;
      }
      const failure = endFailure(end);
      if (failure === undefined) return;
      // That a token has ended in whose place there was none says nothing of the right to another.
      if (!this.#options.follow || (isFinal(failure) && !(isLate && end.code === 4003))) throw failure;
      if (this.#clock.monotonic() - current.openedAt >= goodMs) this.#backoff.reset();
      current = await this.#again(failure);
      isLate = false;
    }
  }

  async #connect(which: 'first' | 'another'): Promise<Connection> {
    const { open, target, take } = this.#options;
    const openedAt = this.#clock.monotonic();
    const { client, path, renewAfterMs } = await open();
    const isNews = this.#merge.connection();
    let isClosed = false;
    const takeNews = (message: Buffer): void => {
      if (!isClosed && isNews(message.toString())) take(jsonAnswer(message));
    };
    const stream = await client.stream(`${path}${target(which)}`, takeNews, this.#signal);
    const close = (): void => {
      isClosed = true;
      stream.close();
    };
    return { ...stream, close, openedAt, dueAt: renewAfterMs === undefined ? undefined : openedAt + renewAfterMs };
  }

  /** How the connection ended, or that it is time for another. */
  async #next({ ended, dueAt }: Connection, isLate: boolean): Promise<StreamEnd | 'due'> {
    if (dueAt === undefined || isLate) return await ended;
    let cancel = (): void => {};
    const due = new Promise<'due'>((resolve) => {
      cancel = this.#clock.schedule(dueAt - this.#clock.monotonic(), () => resolve('due'));
    });
    return await Promise.race([ended, due]).finally(cancel);
  }

  /** Another connection, with which the old one ends a little later. Undefined: there is none, and the old one is still there. */
  async #overlapping(old: Connection): Promise<Connection | undefined> {
    const settle = this.#merge.compare();
    try {
      const fresh = await this.#connect('another');
      this.#clock.schedule(overlapMs, () => {
        settle();
        old.close();
      });
      return fresh;
    } catch {
      settle();
      return undefined;
    }
  }

  async #again(failure: StatusError): Promise<Connection> {
    const { warn } = this.#options;
    warn(`${failure.message}; connecting again`);
    for (let said = ''; ; ) {
      await pause(this.#clock, this.#backoff.nextMs(), this.#signal);
      this.#signal.throwIfAborted();
      const settle = this.#merge.compare();
      try {
        const connection = await this.#connect('another');
        this.#clock.schedule(overlapMs, settle);
        warn('connected again; lines of the time between may be missing');
        return connection;
      } catch (thrown) {
        if (this.#signal.aborted || !(thrown instanceof StatusError) || isFinal(thrown)) throw thrown;
        if (thrown.message !== said) warn(`${thrown.message}; trying again`);
        said = thrown.message;
      }
    }
  }
}

const isFinal = ({ code }: StatusError): boolean => finalCodes.has(code);
