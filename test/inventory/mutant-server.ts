import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeObject } from '@quartermaster/kube';

/** An API server that checks nothing: lists whatever it was given, and sends whatever it is told to on watches. */
export class MutantServer {
  readonly #server: Server;
  readonly #objects = new Map<string, readonly KubeObject[]>(); // path of a list -> objects
  readonly #refused = new Set<string>();
  readonly #watches = new Map<string, Set<ServerResponse>>(); // path of a list -> watches

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<MutantServer> {
    const server = new MutantServer();
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What a list of this path answers. With a selector, it is part of the path. */
  put(path: string, objects: readonly KubeObject[]): void {
    this.#refused.delete(path);
    this.#objects.set(path, objects);
  }

  /** Nobody may list or watch the path until something is put there. */
  refuse(path: string): void {
    this.#refused.add(path);
  }

  /** Tells those who watch the path of a new state. */
  send(path: string, object: KubeObject): void {
    for (const watch of this.#watches.get(path) ?? []) watch.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const selector = searchParams.get('labelSelector') ?? searchParams.get('fieldSelector');
    const path = selector === null ? pathname : `${pathname}?${selector}`;
    response.setHeader('content-type', 'application/json');
    if (this.#refused.has(path)) {
      response.statusCode = 403;
      response.end(JSON.stringify({ kind: 'Status', status: 'Failure', reason: 'Forbidden', message: `${path} is forbidden`, code: 403 }));
      return;
    }
    if (searchParams.get('watch') === 'true') {
      const watches = this.#watches.get(path) ?? new Set();
      this.#watches.set(path, watches.add(response));
      response.on('close', () => watches.delete(response));
      response.flushHeaders();
      return;
    }
    response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: this.#objects.get(path) ?? [] }));
  }
}
