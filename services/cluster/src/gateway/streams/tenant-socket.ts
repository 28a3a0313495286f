import type { Clock } from '@quartermaster/kernel';
import type { RawData, WebSocket } from 'ws';
import { closeCodes, StreamEnd } from './close-codes.ts';

/** What of a WebSocket is used. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'terminate' | 'ping' | 'pause' | 'resume' | 'on' | 'bufferedAmount'>;

export interface TenantSocketOptions {
  readonly socket: Socket;
  readonly clock: Pick<Clock, 'schedule'>;
  /** A reader that takes nothing for so long is cut. */
  readonly slowReaderMs: number;
}

const pingEveryMs = 10_000;
const pongWithinMs = 15_000;
/** What may wait to be sent. Beyond it, whoever sends waits. */
const highWater = 256 * 1024;
/** WebSocket allows 125 bytes, two of them for the code. */
const longestReason = 120;
const closeWithinMs = 5_000;

/**
 * A WebSocket to a tenant. Whoever sends waits while too much is on its way, so that what is behind it is read no faster than the tenant reads. A tenant that reads nothing, or
 * does not answer a ping, is cut off.
 */
export class TenantSocket {
  readonly #socket: Socket;
  readonly #clock: Pick<Clock, 'schedule'>;
  readonly #slowReaderMs: number;
  readonly #ended = new AbortController();
  #lastHeard: () => void = () => {};
  #cancelPing: () => void = () => {};
  #isClosing = false;

  constructor({ socket, clock, slowReaderMs }: TenantSocketOptions) {
    this.#socket = socket;
    this.#clock = clock;
    this.#slowReaderMs = slowReaderMs;
    socket.on('close', () => this.#end(new StreamEnd(closeCodes.done, 'the tenant closed the stream')));
    socket.on('error', () => this.#end(new StreamEnd(closeCodes.done, 'the connection to the tenant broke')));
    socket.on('pong', () => this.#lastHeard());
    this.#pingLater();
  }

  /** Aborts with a `StreamEnd` when the stream is over, whoever ended it. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Calls back for each message; the next one is read when that has been dealt with. */
  receive(take: (bytes: Buffer, isBinary: boolean) => Promise<void>): void {
    const pending: (readonly [Buffer, boolean])[] = [];
    let isBusy = false;
    const work = async (): Promise<void> => {
      if (isBusy) return;
      isBusy = true;
      this.#socket.pause();
      try {
        // One read of the connection may have several messages in it.
        for (let next = pending.shift(); next !== undefined && !this.signal.aborted; next = pending.shift()) await take(...next);
      } finally {
        isBusy = false;
        this.#socket.resume();
      }
    };
    this.#socket.on('message', (data: RawData, isBinary: boolean) => {
      pending.push([bytesOf(data), isBinary]);
      work().catch((thrown: unknown) =>
        this.close(thrown instanceof StreamEnd ? thrown : new StreamEnd(closeCodes.internal, 'internal error')),
      );
    });
  }

  /** Resolves when more may be sent. Rejects once the stream is over. */
  async send(data: string | Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    if (this.#socket.bufferedAmount < highWater) {
      this.#socket.send(data, noteNothing);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const isOver = (): void => reject(this.signal.reason);
    const cancel = this.#clock.schedule(this.#slowReaderMs, () => this.#cut('nothing was read for too long'));
    this.signal.addEventListener('abort', isOver, { once: true });
    this.#socket.send(data, () => resolve());
    try {
      await promise;
    } finally {
      cancel();
      this.signal.removeEventListener('abort', isOver);
    }
    this.signal.throwIfAborted();
  }

  /** Says why it is over. What is on its way is still sent, unless the tenant does not read it. */
  close(end: StreamEnd): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#socket.resume();
    this.#socket.close(end.code, shortened(end.message));
    const cancel = this.#clock.schedule(closeWithinMs, () => this.#socket.terminate());
    this.#socket.on('close', cancel);
    this.#end(end);
  }

  /** What waits to be sent would hold up a proper end. */
  #cut(why: string): void {
    this.#isClosing = true;
    this.#socket.close(closeCodes.limit, why);
    this.#socket.terminate();
    this.#end(new StreamEnd(closeCodes.limit, why));
  }

  #end(reason: StreamEnd): void {
    this.#cancelPing();
    if (!this.signal.aborted) this.#ended.abort(reason);
  }

  #pingLater(): void {
    this.#cancelPing = this.#clock.schedule(pingEveryMs, () => {
      this.#socket.ping();
      const cancel = this.#clock.schedule(pongWithinMs, () => this.#cut('no answer to a ping'));
      this.#cancelPing = cancel;
      this.#lastHeard = () => {
        cancel();
        this.#lastHeard = () => {};
        if (!this.signal.aborted) this.#pingLater();
      };
    });
  }
}

/** A send that fails closes the socket, and that is told there. */
const noteNothing = (): void => {};

function shortened(reason: string): string {
  const bytes = Buffer.from(reason);
  if (bytes.length <= longestReason) return reason;
  // Not in the middle of a letter.
  return `${new TextDecoder().decode(bytes.subarray(0, longestReason - 3), { stream: true })}…`;
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
