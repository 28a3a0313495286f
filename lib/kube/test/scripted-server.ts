import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answer = (response: ServerResponse) => void;

/** Answers with a status and a JSON body. */
export const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** Answers a watch with these lines and ends it, or leaves it open. */
export const watchEvents =
  (events: readonly object[], { open = false }: { readonly open?: boolean } = {}): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    if (!open) response.end();
  };

export const pod = (name: string, resourceVersion: string): object => ({
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion },
});

export const podList = (resourceVersion: string, ...items: readonly object[]): object => ({
  kind: 'PodList',
  metadata: { resourceVersion },
  items,
});

/**
 * An HTTP server that answers lists and watches from two scripts, in order, the last answer for ever: for what a real API server
 * does too rarely to wait for.
 */
export class ScriptedServer {
  readonly requests: URL[] = [];
  readonly #server: Server;
  readonly #lists: Answer[];
  readonly #watches: Answer[];

  private constructor(lists: readonly Answer[], watches: readonly Answer[]) {
    this.#lists = [...lists];
    this.#watches = [...watches];
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(script: { readonly lists: readonly Answer[]; readonly watches: readonly Answer[] }): Promise<ScriptedServer> {
    const scripted = new ScriptedServer(script.lists, script.watches);
    scripted.#server.listen(0, '127.0.0.1');
    await once(scripted.#server, 'listening');
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get watches(): readonly URL[] {
    return this.requests.filter((url) => url.searchParams.get('watch') === 'true');
  }

  get lists(): readonly URL[] {
    return this.requests.filter((url) => url.searchParams.get('watch') !== 'true');
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.url);
    this.requests.push(url);
    const script = url.searchParams.get('watch') === 'true' ? this.#watches : this.#lists;
    const answer = script.length > 1 ? script.shift() : script[0];
    answer?.(response);
  }
}
