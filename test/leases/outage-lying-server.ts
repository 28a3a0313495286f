import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request as forward, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { createCertificateAuthority } from '../kube/certificates.ts';

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
}

/** `empty`: lists have nothing in them. `missing`: the kind is not served. */
export type Lie = 'empty' | 'missing';

/** Higher than any that the server has: whoever was lied to sees that versions went back when the lie is over. */
const lyingVersion = '900000000';

/** Stands before an API server, as the user of a kubeconfig, and does not always tell the truth. */
export class LyingServer {
  readonly #server: Server;
  readonly #target: string;
  readonly #agent: Agent;
  readonly #directory: string;
  readonly #watches = new Set<{ readonly path: string; readonly answer: ServerResponse }>();
  #lie: { readonly resource: string; readonly lie: Lie } | undefined;
  #told = 0;

  private constructor(server: Server, target: string, agent: Agent, directory: string) {
    this.#server = server;
    this.#target = target;
    this.#agent = agent;
    this.#directory = directory;
    server.on('request', (incoming: IncomingMessage, answer: ServerResponse) => this.#answer(incoming, answer));
  }

  static async start(kubeconfig: string): Promise<LyingServer> {
    const config = parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
    const { server: target = '', 'certificate-authority-data': ca = '' } = config.clusters[0]?.cluster ?? {};
    const { 'client-certificate-data': cert = '', 'client-key-data': key = '' } = config.users[0]?.user ?? {};
    const text = (data: string): string => Buffer.from(data, 'base64').toString();
    const agent = new Agent({ keepAlive: true, ca: text(ca), cert: text(cert), key: text(key) });
    // Of another name than the server: who has issued a certificate of its own name has signed itself.
    const authority = await createCertificateAuthority('authority of the lying server');
    const own = await authority.issueServer({ commonName: 'lying', hosts: ['127.0.0.1'] });
    const directory = await mkdtemp(join(tmpdir(), 'lying-server-'));
    const lying = new LyingServer(createServer({ cert: own.certificate, key: own.key }), target, agent, directory);
    lying.#server.listen(0, '127.0.0.1');
    await once(lying.#server, 'listening');
    const url = `https://127.0.0.1:${(lying.#server.address() as AddressInfo).port}`;
    const cluster = { server: url, 'certificate-authority-data': Buffer.from(authority.certificate).toString('base64') };
    const context = { cluster: 'lying', user: 'anybody' };
    const made = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'lying', contexts: [{ name: 'lying', context }] },
      clusters: [{ name: 'lying', cluster }],
      users: [{ name: 'anybody', user: { token: 'anything' } }],
    };
    await writeFile(lying.kubeconfig, stringify(made), { mode: 0o600 });
    return lying;
  }

  get kubeconfig(): string {
    return join(this.#directory, 'kubeconfig');
  }

  /** How often it has lied since it began to. */
  get told(): number {
    return this.#told;
  }

  /** From now on, of everything of the resource: `pods`. Whoever follows it has to list it again. */
  lie(resource: string, lie: Lie): void {
    this.#lie = { resource, lie };
    this.#told = 0;
    this.#endWatches(resource);
  }

  tellTheTruth(): void {
    const { resource } = this.#lie ?? {};
    this.#lie = undefined;
    if (resource !== undefined) this.#endWatches(resource);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#agent.destroy();
    await rm(this.#directory, { recursive: true, force: true });
  }

  #endWatches(resource: string): void {
    for (const { path, answer } of this.#watches) if (path.endsWith(`/${resource}`)) answer.destroy();
  }

  #answer(incoming: IncomingMessage, answer: ServerResponse): void {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', this.#target);
    const isWatch = searchParams.get('watch') !== null;
    if (isWatch) {
      const watch = { path: pathname, answer };
      this.#watches.add(watch);
      answer.on('close', () => this.#watches.delete(watch));
    }
    const { resource = '', lie } = this.#lie ?? {};
    const isAbout = pathname.endsWith(`/${resource}`) || (lie === 'missing' && pathname.includes(`/${resource}/`));
    if (lie === undefined || !isAbout || (lie === 'empty' && incoming.method !== 'GET')) this.#forward(incoming, answer);
    else this.#tell(lie, isWatch, searchParams.get('resourceVersion') === lyingVersion, answer);
  }

  #tell(lie: Lie, isWatch: boolean, isOfLie: boolean, answer: ServerResponse): void {
    if (lie === 'missing') {
      this.#told += 1;
      answer.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    } else if (!isWatch) {
      this.#told += 1;
      answer.writeHead(200, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: lyingVersion }, items: [] }));
    } else if (isOfLie) {
      // Nothing ever happens.
      answer.writeHead(200, { 'content-type': 'application/json' });
      answer.flushHeaders();
    } else {
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', code: 410, message: 'too old' };
      answer.writeHead(410, { 'content-type': 'application/json' }).end(JSON.stringify(status));
    }
  }

  #forward(incoming: IncomingMessage, answer: ServerResponse): void {
    const { authorization: _, ...headers } = incoming.headers;
    const outgoing = forward(new URL(incoming.url ?? '/', this.#target), {
      ...{ method: incoming.method, agent: this.#agent },
      headers: { ...headers, host: new URL(this.#target).host },
    });
    outgoing.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      answer.flushHeaders();
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }
}
