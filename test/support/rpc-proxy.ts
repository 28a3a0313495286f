import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** Stands before a gRPC server in plain text, and tells what it was asked for, also what it did not do or did not answer. */
export class RpcProxy {
  readonly #server: Http2Server;
  readonly #upstream: ClientHttp2Session;
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #calls: string[] = [];
  /** The end of the paths of calls that are not let through. */
  refused: string | undefined;

  private constructor(target: string) {
    this.#upstream = connect(target);
    // What is cut off in the middle shows to the caller as that.
    this.#upstream.on('error', () => undefined);
    this.#server = createServer();
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
      session.on('error', () => undefined);
    });
    this.#server.on('stream', (incoming, headers) => {
      incoming.on('error', () => undefined);
      const path = headers[':path'] ?? '';
      this.#calls.push(path);
      const isRefused = this.refused !== undefined && path.endsWith(this.refused);
      if (isRefused || this.#upstream.closed || this.#upstream.destroyed) {
        incoming.close(constants.NGHTTP2_REFUSED_STREAM);
        return;
      }
      const outgoing = this.#upstream.request(headers);
      let trailers = {};
      outgoing.on('response', (answer, flags) => {
        const isOver = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
        if (incoming.destroyed) return;
        incoming.respond(answer, isOver ? { endStream: true } : { waitForTrailers: true });
        if (!isOver) outgoing.pipe(incoming);
      });
      outgoing.on('trailers', (sent) => {
        trailers = sent;
      });
      incoming.on('wantTrailers', () => incoming.sendTrailers(trailers));
      outgoing.on('error', () => incoming.close(constants.NGHTTP2_CANCEL));
      incoming.on('error', () => outgoing.close(constants.NGHTTP2_CANCEL));
      incoming.on('close', () => outgoing.close(constants.NGHTTP2_CANCEL));
      incoming.pipe(outgoing);
    });
  }

  /** In front of `host:port`. */
  static async start(address: string): Promise<RpcProxy> {
    const proxy = new RpcProxy(`http://${address.replace(/^\w+:\/\//, '')}`);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `/package.Service/Method` of each call so far, in the order in which they came. */
  get calls(): readonly string[] {
    return this.#calls;
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    this.#upstream.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
