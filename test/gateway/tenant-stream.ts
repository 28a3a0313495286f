import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { vi } from 'vitest';
import type { GatewayClient, Shown } from './gateway-client.ts';

/*
 * A client of streams that is made of what tenants are told of them and nothing else: RFC 6455, and the first bytes of the frames of a shell.
 */

export const opcodes = { rest: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
export const first = { stdout: 100, stderr: 101, result: 102, failure: 103, stdin: 104, resize: 105 } as const;

export interface Message {
  readonly opcode: number;
  readonly data: Buffer;
}

export interface StreamClose {
  /** 1006 where the connection ended without one. */
  readonly code: number;
  readonly reason: string;
}

export interface FrameParts {
  readonly opcode: number;
  readonly data: Uint8Array;
  /** Clients have to; default true. */
  readonly isMasked?: boolean;
  /** Beside the opcode; default that it is the last of its message. */
  readonly flags?: number;
}

/** A frame as it is sent, whatever the protocol says of it. */
export function frame({ opcode, data, isMasked = true, flags = 0x80 }: FrameParts): Buffer {
  const extended = data.length < 126 ? 0 : data.length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + extended);
  head[0] = flags | opcode;
  head[1] = (isMasked ? 0x80 : 0) | (extended === 0 ? data.length : extended === 2 ? 126 : 127);
  if (extended === 2) head.writeUInt16BE(data.length, 2);
  if (extended === 8) head.writeBigUInt64BE(BigInt(data.length), 2);
  // Masked with zeros, they stay as they are.
  return Buffer.concat([head, ...(isMasked ? [Buffer.alloc(4)] : []), data]);
}

export class TenantStream {
  readonly messages: Message[] = [];
  readonly ended: Promise<StreamClose>;
  readonly #socket: TLSSocket;
  #end: (close: StreamClose) => void = () => {};
  #left = Buffer.alloc(0);
  #bytes = 0;
  #isEnded = false;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('close', () => this.#end({ code: 1006, reason: '' }));
    void this.ended.then(() => {
      this.#isEnded = true;
    });
  }

  /** Throws where the gateway refuses it. */
  static async open(client: GatewayClient, path: string, shown: Shown): Promise<TenantStream> {
    const { socket, status, text } = await client.upgrade({ path, shown });
    if (socket === undefined) throw new Error(`the stream was refused with ${status}: ${text}`);
    return new TenantStream(socket);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Of all messages. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Text messages, each of them JSON. */
  json<T>(): readonly T[] {
    return this.messages.filter(({ opcode }) => opcode === opcodes.text).map(({ data }) => JSON.parse(data.toString()) as T);
  }

  /** Whose lines of a log there are. */
  podNames(): ReadonlySet<string> {
    return new Set(this.json<{ readonly name: string }>().map(({ name }) => name));
  }

  /** What came in frames of a shell with this first byte. */
  output(kind: keyof typeof first): string {
    const parts = this.messages.filter(({ opcode, data }) => opcode === opcodes.binary && data[0] === first[kind]);
    return Buffer.concat(parts.map(({ data }) => data.subarray(1))).toString();
  }

  send(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  input(text: string): void {
    this.send(frame({ opcode: opcodes.binary, data: Buffer.concat([Buffer.from([first.stdin]), Buffer.from(text)]) }));
  }

  resize(width: number, height: number): void {
    const data = Buffer.from([first.resize, 0, 0, 0, 0]);
    data.writeUInt16BE(width, 1);
    data.writeUInt16BE(height, 3);
    this.send(frame({ opcode: opcodes.binary, data }));
  }

  async until(holds: (stream: this) => boolean): Promise<void> {
    await vi.waitUntil(() => holds(this), { timeout: 30_000, interval: 20 });
  }

  /** Reads nothing any more. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Goes away without a word. Idempotent. */
  async drop(): Promise<void> {
    if (this.#socket.closed) return;
    const closed = once(this.#socket, 'close');
    this.#socket.destroy();
    await closed;
  }

  #take(chunk: Buffer): void {
    this.#left = Buffer.concat([this.#left, chunk]);
    for (let next = readFrame(this.#left); next !== undefined; next = readFrame(this.#left)) {
      this.#left = this.#left.subarray(next.length);
      this.#heard(next);
    }
  }

  #heard({ opcode, data }: Message): void {
    if (opcode === opcodes.ping) this.send(frame({ opcode: opcodes.pong, data }));
    else if (opcode === opcodes.close) {
      this.#end({ code: data.length < 2 ? 1005 : data.readUInt16BE(0), reason: data.subarray(2).toString() });
      this.#socket.end(frame({ opcode, data: data.subarray(0, 2) }));
    } else if (opcode !== opcodes.pong) {
      this.#bytes += data.length;
      this.messages.push({ opcode, data });
    }
  }
}

/** The gateway sends each message in one frame. */
function readFrame(bytes: Buffer): (Message & { readonly length: number }) | undefined {
  if (bytes.length < 2) return undefined;
  const short = (bytes[1] ?? 0) & 0x7f;
  const extended = short < 126 ? 0 : short === 126 ? 2 : 8;
  const start = 2 + extended;
  if (bytes.length < start) return undefined;
  const size = extended === 0 ? short : extended === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < start + size) return undefined;
  return { opcode: (bytes[0] ?? 0) & 0x0f, data: Buffer.from(bytes.subarray(start, start + size)), length: start + size };
}
