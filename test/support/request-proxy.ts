import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as forward, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface RequestProxyOptions {
  /** https://host:port */
  readonly target: string;
  /** PEM of whoever signed the certificate of the target. */
  readonly authority: string;
  /** PEM, for 127.0.0.1. */
  readonly certificate: string;
  readonly key: string;
}

/** A proxy that sees the requests to a server, and holds back those that it is told to. */
export class RequestProxy {
  readonly #options: RequestProxyOptions;
  readonly #server: Server;
  readonly #held: { readonly path: RegExp; readonly pass: Promise<void> }[] = [];
  readonly #seen: string[] = [];

  private constructor(options: RequestProxyOptions) {
    this.#options = options;
    this.#server = createServer({ cert: options.certificate, key: options.key }, (incoming, answer) => void this.#answer(incoming, answer));
  }

  static async start(options: RequestProxyOptions): Promise<RequestProxy> {
    const proxy = new RequestProxy(options);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Whether a request to such a path has come. */
  hasSeen(path: RegExp): boolean {
    return this.#seen.some((seen) => path.test(seen));
  }

  /** Holds requests to such paths until the function that it returns is called. */
  hold(path: RegExp): () => void {
    let release = (): void => undefined;
    const pass = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#held.push({ path, pass });
    return release;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const path = incoming.url ?? '/';
    this.#seen.push(path);
    await Promise.all(this.#held.filter(({ path: held }) => held.test(path)).map(({ pass }) => pass));
    if (answer.destroyed) return;
    const { target, authority: ca } = this.#options;
    const outgoing = forward(new URL(path, target), {
      method: incoming.method,
      headers: { ...incoming.headers, host: new URL(target).host },
      ca,
      servername: '',
    });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      // A watch is open before anything happens.
      answer.flushHeaders();
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }
}
