import { Duplex } from 'node:stream';
import { StatusError } from '@quartermaster/kernel';
import { SpdyHeaderReader, type SpdyHeaders, SpdyHeaderWriter } from './spdy-headers.ts';

const version = 3;
const frames = { synStream: 1, synReply: 2, rstStream: 3, settings: 4, ping: 6, goAway: 7, headers: 8, windowUpdate: 9 } as const;
const finFlag = 1;
const headLength = 8;
const longestFrame = 1024 * 1024;
const dataPerFrame = 16 * 1024;
const cancelStatus = 5;

/** One of many streams on a connection: what the client writes can be read from it, and the other way round. */
export interface SpdyStream {
  readonly headers: SpdyHeaders;
  readonly body: Duplex;
}

/** A stream as the connection sees it. */
interface OpenStream {
  readonly body: Duplex;
  /** Hands on what the client sent; resolves when there is room for more. */
  take(data: Buffer): Promise<void>;
  takeEnd(): void;
}

/**
 * The server's side of SPDY/3.1 on a connection, as much of it as Kubernetes uses: streams that the client opens, data both ways, pings.
 * There is no flow control, as in Kubernetes; instead, a stream that does not keep up holds up the connection.
 */
export class SpdySession {
  readonly #socket: Duplex;
  readonly #accept: (stream: SpdyStream) => void;
  readonly #reader = new SpdyHeaderReader();
  readonly #writer = new SpdyHeaderWriter();
  readonly #streams = new Map<number, OpenStream>(); // id -> stream

  constructor(socket: Duplex, accept: (stream: SpdyStream) => void) {
    this.#socket = socket;
    this.#accept = accept;
  }

  /** Resolves when the connection has ended, in whichever way. Its streams end with it. */
  async run(): Promise<void> {
    let rest: Buffer = Buffer.alloc(0);
    try {
      for await (const chunk of this.#socket) {
        rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
        for (let length = frameLength(rest); length !== undefined && rest.length >= length; length = frameLength(rest)) {
          await this.#frame(rest.subarray(0, length));
          rest = rest.subarray(length);
        }
      }
    } catch {
      // A connection that breaks, or that does not speak SPDY, is over.
    } finally {
      for (const { body } of this.#streams.values()) body.destroy();
      this.#socket.destroy();
      this.#reader.close();
      this.#writer.close();
    }
  }

  async #frame(frame: Buffer): Promise<void> {
    const flags = frame.readUInt8(4);
    const body = frame.subarray(headLength);
    if ((frame.readUInt8(0) & 0x80) === 0) {
      const stream = this.#streams.get(frame.readUInt32BE(0));
      await stream?.take(body);
      if ((flags & finFlag) !== 0) stream?.takeEnd();
      return;
    }
    switch (frame.readUInt16BE(2)) {
      case frames.synStream:
        await this.#open(body.readUInt32BE(0) & 0x7fff_ffff, flags, body.subarray(10));
        return;
      case frames.headers:
        await this.#reader.read(body.subarray(4));
        return;
      case frames.rstStream:
        this.#streams.get(body.readUInt32BE(0))?.body.destroy();
        return;
      case frames.ping:
        this.#control(frames.ping, 0, body);
        return;
      default:
        return;
    }
  }

  async #open(id: number, flags: number, block: Buffer): Promise<void> {
    const headers = await this.#reader.read(block);
    const stream = this.#stream(id);
    this.#streams.set(id, stream);
    stream.body.once('close', () => this.#streams.delete(id));
    stream.body.on('error', () => {});
    this.#control(frames.synReply, 0, Buffer.concat([numbers(id), await this.#writer.write(new Map())]));
    if ((flags & finFlag) !== 0) stream.takeEnd();
    this.#accept({ headers, body: stream.body });
  }

  #stream(id: number): OpenStream {
    let isEnded = false;
    let wanted = (): void => {};
    const body = new Duplex({
      read: () => wanted(),
      write: (chunk: Buffer, _encoding, sent) => this.#data(id, chunk, false, sent),
      final: (sent) => {
        isEnded = true;
        this.#data(id, Buffer.alloc(0), true, sent);
      },
      destroy: (error, done) => {
        wanted();
        if (!isEnded) this.#control(frames.rstStream, 0, numbers(id, cancelStatus));
        done(error);
      },
    });
    return {
      body,
      take: async (data) => {
        if (body.destroyed || data.length === 0 || body.push(data)) return;
        await new Promise<void>((resolve) => {
          wanted = resolve;
        });
      },
      takeEnd: () => {
        if (!body.destroyed) body.push(null);
      },
    };
  }

  #data(id: number, data: Buffer, isLast: boolean, sent: () => void): void {
    if (this.#socket.destroyed) {
      sent();
      return;
    }
    for (let at = 0; at + dataPerFrame < data.length; at += dataPerFrame) {
      const part = data.subarray(at, at + dataPerFrame);
      this.#socket.write(Buffer.concat([head(id, 0, part.length), part]));
    }
    const part = data.subarray(Math.max(Math.ceil(data.length / dataPerFrame) - 1, 0) * dataPerFrame);
    this.#socket.write(Buffer.concat([head(id, isLast ? finFlag : 0, part.length), part]), () => sent());
  }

  #control(type: number, flags: number, body: Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat([head(((0x8000 | version) << 16) | type, flags, body.length), body]));
  }
}

function head(first: number, flags: number, length: number): Buffer {
  return numbers(first >>> 0, ((flags << 24) | length) >>> 0);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, i * 4);
  return bytes;
}

/** Undefined while not even that is known. */
function frameLength(bytes: Buffer): number | undefined {
  if (bytes.length < headLength) return undefined;
  const length = headLength + bytes.readUIntBE(5, 3);
  if (length > longestFrame) throw new StatusError('invalid_argument', `a SPDY frame of ${length} bytes is refused`);
  return length;
}
