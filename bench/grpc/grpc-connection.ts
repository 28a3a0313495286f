/**
 * Calls of gRPC with as little work as possible: what is measured is the server, on cores that it shares with its callers. The client of Node takes half as long for a short call as
 * the server does.
 */
import { connect, type Socket } from 'node:net';
import { CallHeaders, type Frame, frame, frameFlag, frameType, preface, readFrames } from './http2-frames.ts';

interface OpenCall {
  readonly path: string;
  onData(bytes: Buffer): void;
  onEnd(problem?: Error): void;
}

const messageHead = 5;

export class GrpcConnection {
  readonly #socket: Socket;
  readonly #headers: CallHeaders;
  readonly #calls = new Map<number, OpenCall>(); // number of the stream -> call
  #nextStream = 1;
  #rest: Buffer = Buffer.alloc(0);

  constructor(address: string, token: string) {
    const { hostname, port } = new URL(`http://${address}`);
    this.#headers = new CallHeaders(address, token);
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.write(preface());
    this.#socket.on('data', (bytes: Buffer) => {
      this.#rest = readFrames(this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]), (each) => this.#take(each));
    });
    this.#socket.on('error', (error) => this.#endAll(error));
    this.#socket.on('close', () => this.#endAll(new Error('the connection was closed')));
  }

  /** The bytes of the answer. Throws when the server refused. */
  unary(path: string, message: Uint8Array): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      this.#call(message, {
        path,
        onData: (bytes) => chunks.push(bytes),
        onEnd: (problem) => {
          const answer = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
          // A server that refuses sends a status and no message.
          if (problem === undefined && answer !== undefined && answer.length >= messageHead) resolve(answer.subarray(messageHead));
          else reject(problem ?? new Error(`${path} was refused: call it with the command line to see why`));
        },
      });
    });
  }

  /** Calls back with the bytes of every message, until the connection is closed. */
  stream(path: string, message: Uint8Array, onMessage: (bytes: Uint8Array) => void): void {
    let rest: Buffer = Buffer.alloc(0);
    this.#call(message, {
      path,
      onData: (bytes) => {
        rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
        while (rest.length >= messageHead) {
          const end = messageHead + rest.readUInt32BE(1);
          if (rest.length < end) break;
          onMessage(rest.subarray(messageHead, end));
          rest = rest.subarray(end);
        }
      },
      onEnd: () => {},
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Requests are far smaller than the windows of the server, which opens them again as it reads. */
  #call(message: Uint8Array, call: OpenCall): void {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    this.#calls.set(stream, call);
    const head = Buffer.alloc(messageHead);
    head.writeUInt32BE(message.length, 1);
    // Calls of one turn of the event loop leave together.
    this.#socket.cork();
    this.#socket.write(frame(frameType.headers, frameFlag.endHeaders, stream, this.#headers.block(call.path)));
    this.#socket.write(frame(frameType.data, frameFlag.endStream, stream, head, message));
    process.nextTick(() => this.#socket.uncork());
  }

  #take({ type, flags, stream, payload }: Frame): void {
    switch (type) {
      case frameType.data:
        this.#calls.get(stream)?.onData(payload);
        if ((flags & frameFlag.endStream) !== 0) this.#end(stream);
        return;
      case frameType.headers:
        if ((flags & frameFlag.endStream) !== 0) this.#end(stream);
        return;
      case frameType.reset:
        return this.#end(stream, new Error(`the server broke off ${this.#calls.get(stream)?.path ?? 'a call'}`));
      case frameType.settings:
      case frameType.ping:
        if ((flags & frameFlag.ack) === 0) {
          this.#socket.write(frame(type, frameFlag.ack, 0, type === frameType.ping ? payload : Buffer.alloc(0)));
        }
        return;
      case frameType.goAway:
        return this.#endAll(new Error('the server takes no more calls on this connection'));
    }
  }

  #end(stream: number, problem?: Error): void {
    const call = this.#calls.get(stream);
    this.#calls.delete(stream);
    call?.onEnd(problem);
  }

  #endAll(problem: Error): void {
    for (const stream of [...this.#calls.keys()]) this.#end(stream, problem);
  }
}
