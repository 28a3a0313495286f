/** Calls of gRPC with as little work as possible: what is measured is the server, on cores that it shares with its callers. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';

const windowBytes = 1 << 20;

export class GrpcConnection {
  readonly #session: ClientHttp2Session;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(address: string, token: string) {
    this.#session = connect(`http://${address}`, { settings: { initialWindowSize: windowBytes } });
    this.#session.once('connect', () => this.#session.setLocalWindowSize(windowBytes));
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/grpc', te: 'trailers' };
  }

  /** The bytes of the answer. Throws what the server refused with. */
  async unary(path: string, message: Uint8Array): Promise<Uint8Array> {
    const stream = this.#request(path, message);
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    await ended(stream, path);
    return Buffer.concat(chunks).subarray(5);
  }

  /** Calls back with the bytes of every message, until the connection is closed. */
  stream(path: string, message: Uint8Array, onMessage: (bytes: Uint8Array) => void): void {
    let rest: Buffer = Buffer.alloc(0);
    this.#request(path, message).on('data', (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (rest.length >= 5) {
        const end = 5 + rest.readUInt32BE(1);
        if (rest.length < end) break;
        onMessage(rest.subarray(5, end));
        rest = rest.subarray(end);
      }
    });
  }

  close(): void {
    this.#session.destroy();
  }

  #request(path: string, message: Uint8Array): ClientHttp2Stream {
    const frame = Buffer.allocUnsafe(5 + message.length);
    frame[0] = 0;
    frame.writeUInt32BE(message.length, 1);
    frame.set(message, 5);
    const stream = this.#session.request({
      ...this.#headers,
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: path,
    });
    stream.end(frame);
    return stream;
  }
}

function ended(stream: ClientHttp2Stream, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let [code, text] = ['', ''];
    const note = (headers: Readonly<Record<string, unknown>>): void => {
      code = String(headers['grpc-status'] ?? code);
      text = String(headers['grpc-message'] ?? text);
    };
    stream.on('response', note);
    stream.on('trailers', note);
    stream.on('error', reject);
    stream.on('close', () => (code === '0' ? resolve() : reject(new Error(`${path} was refused with code ${code}: ${text}`))));
  });
}
