import type { Clock } from '@quartermaster/kernel';
import type { RawData, WebSocket } from 'ws';
import { closeCodes, StreamEnd } from './close-codes.ts';

/** What of a WebSocket is used. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'terminate' | 'ping' | 'pong' | 'pause' | 'resume' | 'on' | 'bufferedAmount'>;

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
/** Messages that may wait for whoever takes them, before no more is read. */
const mostEarly = 16;
const closeWithinMs = 5_000;
/** A send that fails closes the socket, and that is told there. */
const noteNothing = (): void => {};

/**
 * A WebSocket to a tenant. Whoever sends waits while too much is on its way, so that what is behind it is read no faster than the tenant reads. A tenant that reads nothing, or
 * does not answer a ping, is cut off.
 */
export class TenantSocket {
  readonly #socket: Socket;
  readonly #clock: Pick<Clock, 'schedule'>;
  readonly #slowReaderMs: number;
  readonly #ended = new AbortController();
  #heard: () => void = noteNothing;
  #cancelPing: () => void = noteNothing;
  #isClosing = false;
  /** What came and was not taken yet. */
  readonly #waiting: (readonly [Buffer, boolean])[] = [];
  #take: ((bytes: Buffer, isBinary: boolean) => Promise<void>) | undefined;
  #isTaking = false;
  #isPaused = false;
  /** Settles with whatever is being sent: who sends next waits for it. */
  #turn: Promise<void> = Promise.resolve();

  constructor({ socket, clock, slowReaderMs }: TenantSocketOptions) {
    this.#socket = socket;
    this.#clock = clock;
    this.#slowReaderMs = slowReaderMs;
    socket.on('close', () => {
      this.#isClosing = true;
      this.#end(new StreamEnd(closeCodes.done, 'the tenant closed the stream'));
    });
    socket.on('error', () => this.#end(new StreamEnd(closeCodes.done, 'the connection to the tenant broke')));
    socket.on('message', (data: RawData, isBinary: boolean) => this.#received(data, isBinary));
    socket.on('pong', () => this.#heard());
    socket.on('ping', (data) => {
      // Who does not read its answers gets no more of them.
      if (socket.bufferedAmount < highWater) socket.pong(data, false, noteNothing);
    });
    this.#pingLater();
  }

  /** Aborts with a `StreamEnd` when the stream is over, whoever ended it. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Calls back for each message, those that have come already first; the next one is read when that has been dealt with. */
  receive(take: (bytes: Buffer, isBinary: boolean) => Promise<void>): void {
    this.#take = take;
    void this.#takeAll();
  }

  #received(data: RawData, isBinary: boolean): void {
    if (this.signal.aborted) return;
    this.#waiting.push([bytesOf(data), isBinary]);
    if (this.#take === undefined && this.#waiting.length >= mostEarly) this.#pause();
    if (!this.#isTaking) void this.#takeAll();
  }

  async #takeAll(): Promise<void> {
    const take = this.#take;
    if (take === undefined) return;
    this.#isTaking = true;
    this.#pause();
    try {
      // One read of the connection may have several messages in it.
      for (let next = this.#waiting.shift(); next !== undefined && !this.signal.aborted; next = this.#waiting.shift()) await take(...next);
    } catch (thrown) {
      this.close(thrown instanceof StreamEnd ? thrown : new StreamEnd(closeCodes.internal, 'internal error'));
    }
    this.#isTaking = false;
    this.#isPaused = false;
    this.#socket.resume();
  }

  #pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  /** Resolves when more may be sent; what several send goes out in their order. Rejects once the stream is over. */
  async send(data: string | Uint8Array): Promise<void> {
    this.signal.throwIfAborted();
    const sent = this.#turn.then(() => this.#sendNow(data));
    this.#turn = sent.catch(noteNothing);
    await sent;
  }

  async #sendNow(data: string | Uint8Array): Promise<void> {
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

  /** Says why it is over. What is on its way is still sent, unless the tenant does not read it: of what came to its end, the end is as good as the rest. */
  close(end: StreamEnd): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#socket.resume();
    this.#socket.close(end.code, shortened(end.message));
    const withinMs = end.code === closeCodes.done ? this.#slowReaderMs : closeWithinMs;
    const cancel = this.#clock.schedule(withinMs, () => this.#socket.terminate());
    this.#socket.on('close', cancel);
    this.#end(end);
  }

  /** What waits to be sent would hold up a proper end. */
  #cut(why: string): void {
    this.#isClosing = true;
    this.#end(new StreamEnd(closeCodes.limit, why));
    this.#socket.close(closeCodes.limit, why);
    this.#socket.terminate();
  }

  #end(reason: StreamEnd): void {
    this.#cancelPing();
    if (!this.signal.aborted) this.#ended.abort(reason);
  }

  #pingLater(): void {
    this.#cancelPing = this.#clock.schedule(pingEveryMs, () => this.#ping());
  }

  #ping(): void {
    this.#socket.ping(undefined, false, noteNothing);
    this.#cancelPing = this.#clock.schedule(pongWithinMs, () => {
      // While nothing is read here, or what was sent before the ping is not read there, an answer cannot come.
      if (this.#isPaused || this.#socket.bufferedAmount > 0) this.#ping();
      else this.#cut('no answer to a ping');
    });
    this.#heard = () => {
      this.#heard = noteNothing;
      this.#cancelPing();
      if (!this.signal.aborted) this.#pingLater();
    };
  }
}

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
